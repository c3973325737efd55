#!/bin/sh
# Makes the certificates that stand as theorems, from what `theta` prints. Run: THETA=../target/release/theta ./theorems.sh
set -eu
cd "$(dirname "$0")"
theta=${THETA:-../target/release/theta}

make_theorem() {
  "$theta" -q export "$2" --format coq -o "$1"
}
make_theorem theorems/QueenAgainstKing.v "8/8/8/3k4/8/8/8/KQ6 w - -"
make_theorem theorems/WallOfSixteenPawns.v "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -"
make_theorem theorems/MateOfAFullBoard.v "q5nr/1ppknQpp/3p4/1P2p3/4P3/B1PP1b2/B5PP/5K2 w - -"
make_theorem theorems/PawnAgainstKing.v "8/8/8/8/5p2/8/3k4/5K2 w - -"
# Reti's study: `make reti` proves it.
if [ "${1:-}" = reti ]; then
  mkdir -p build
  make_theorem build/Reti.v "7K/8/k1P5/7p/8/8/8/8 w - -"
fi
