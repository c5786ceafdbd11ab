check largest-chosen.hlo largest-added.hlo | sed -n '1,4p; /^hint/,$p'
