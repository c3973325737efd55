# Dead position (laws of chess, article 5.2.2): no sequence of legal moves mates anybody. Ask with --rules all.
~EF (mate(white) | mate(black))
