# Black has one queen and loses it, while White keeps a queen, on every path.
# With --rules white: can White force it?
count(q) = 1 & AF (count(q) = 0 & count(Q) >= 1)
