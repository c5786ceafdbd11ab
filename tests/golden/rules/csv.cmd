run csv.tvr; cat written.csv written.tsv; rm written.csv written.tsv
