check no-elements.hlo no-elements-wrong.hlo
