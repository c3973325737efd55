# Helpmate in two: Black moves first and helps White to mate on White's second move. Ask with --rules all.
black_to_move & EX EX EX EX mate(black)
