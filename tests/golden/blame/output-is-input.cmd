check output-is-input.before.hlo output-is-input.after.hlo
