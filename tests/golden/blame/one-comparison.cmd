check one-comparison.before.hlo one-comparison.after.hlo
