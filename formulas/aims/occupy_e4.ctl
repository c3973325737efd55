# A white pawn comes to e4, and when it is Black's turn no black man attacks it there: e4 is occupied safely.
# A reduced aim of the paper (§6): control of a key square in place of mate.
AF (on(P, e4) & black_to_move & ~attacked(e4, black))
