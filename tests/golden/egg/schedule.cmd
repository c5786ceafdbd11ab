egg schedule.egg
