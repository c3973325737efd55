# A smothered mate can be reached: Black's king in the corner h8 is mated by a knight on f7, its own men on
# g8, g7 and h7. Ask with --rules all (both sides help).
let smothered = on(k, h8) & on(N, f7) & on(r, g8) & on(p, g7) & on(p, h7);
EF (smothered & mate(black))
