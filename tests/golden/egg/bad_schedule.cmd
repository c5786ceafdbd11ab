egg bad_schedule.egg; $TVR egg bad_scheduler.egg
