explain E0404 --color
