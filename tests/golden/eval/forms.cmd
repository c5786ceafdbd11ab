eval forms.hlo --inputs=forms.json --numbers=doubles
