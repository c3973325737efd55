#!/bin/sh
# The proved rules and the proved checker put to known numbers and to the kernel's test certificates.
set -eu
cd "$(dirname "$0")"

perft() {
  found=$(build/perft "$1" "$2")
  [ "$found" = "$3" ] || { echo "perft $2 of $1: $found, not $3"; exit 1; }
}
perft "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -" 5 4865609
perft "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -" 4 4085603
perft "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -" 5 674624
perft "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -" 4 422333
perft "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -" 4 2103487
echo "perft: ok"

# Every certificate of the kernel's tests is accepted, or said not to be covered.
accepted=0
for file in ../kernel/tests/data/*.cert; do
  code=0
  build/theta-proved "$file" > build/answer 2>&1 || code=$?
  case "$code" in
    0) accepted=$((accepted + 1)) ;;
    3) ;;
    *) echo "$file: exit code $code"; cat build/answer; exit 1 ;;
  esac
  # A cut file is not accepted.
  head -c $(($(wc -c < "$file") - 9)) "$file" > build/cut.cert
  if build/theta-proved build/cut.cert > build/answer 2>&1; then
    echo "$file: accepted although it is cut"; exit 1
  fi
done
[ "$accepted" -ge 14 ] || { echo "only $accepted certificates accepted"; exit 1; }
echo "certificates: $accepted accepted, the rest not covered"

# Bad files, one fault each (made by bad.py), are refused with a sentence by the proved checker, and by the kernel where
# it is built.
kernel=${KERNEL:-../target/debug/theta-verify}
refuses() {
  code=0
  said=$("$1" "$2" 2>&1) || code=$?
  case "$said" in *"$4"*) ;; *) code="$code, not \`$4\` but \`$said\`" ;; esac
  [ "$code" = "$3" ] || { echo "$1 $2: exit code $code, expected $3"; exit 1; }
}
number=0
while IFS="$(printf '\t')" read -r name code words kernel_code kernel_words; do
  number=$((number + 1))
  refuses build/theta-proved "bad/$name.cert" "$code" "$words"
  if [ -x "$kernel" ]; then refuses "$kernel" "bad/$name.cert" "$kernel_code" "$kernel_words"; fi
done < bad/expected.tsv
[ "$number" = "$(ls bad/*.cert | wc -l)" ] || { echo "bad/: $number files are named, others are there"; exit 1; }
if [ -x "$kernel" ]; then who="both checkers"; else who="the proved checker (the kernel is not built)"; fi
echo "bad files: $number refused by $who"
