check fn-of-the-language.tvr
