check average-chosen.hlo average-added.hlo | sed -n '1,4p; /^hint/,$p'
