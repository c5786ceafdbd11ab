run template.tvr
