# White is never mated (the paper's Hold_W in atoms). With --rules white: can White hold?
AG ~mate(white)
