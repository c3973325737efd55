# Black is mated on every path: with --rules white, can White force mate (the paper's Aim1)?
AF mate(black)
