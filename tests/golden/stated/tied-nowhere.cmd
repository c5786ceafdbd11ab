check tied-nowhere.tvr
