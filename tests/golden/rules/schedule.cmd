run schedule.tvr
