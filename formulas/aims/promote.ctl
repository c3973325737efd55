# White gets one more queen than now stands on the board (here: a first one) and Black cannot take it at once.
# The second part is asked with Black to move, so "at once" is Black's next move.
let queen = count(Q) >= 1;
AF (queen & black_to_move & AX queen)
