rules derived_text.tvr --derived
