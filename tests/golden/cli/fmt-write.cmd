fmt --write /nowhere/at/all.tvr; f=/tmp/tvr_fmt.$$.tvr; cp ugly.tvr $f; $TVR fmt --write $f; $TVR fmt ugly.tvr | diff - $f; $TVR fmt --check $f; rm $f
