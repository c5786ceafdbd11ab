run bad_forms.tvr
