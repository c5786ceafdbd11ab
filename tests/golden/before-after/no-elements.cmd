check no-elements.hlo no-elements.hlo
