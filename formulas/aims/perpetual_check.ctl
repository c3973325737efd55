# Black is in check whenever it is Black's turn, for ever, and never mated: perpetual check.
# With --rules white: can White give it? (The first move is White's own, so the root may be without check.)
AG ((black_to_move -> check(black)) & ~mate(black) & ~mate(white) & ~stalemate)
