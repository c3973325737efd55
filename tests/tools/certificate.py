#!/usr/bin/env python3
"""Checks theta's certificates from docs/certificate.md alone, with python-chess's rules: nothing is shared with theta.

Needs PyPI's chess and xxhash. Run: certificate.py FILE…, or without a file to make certificates with the program
(THETA=target/release/theta), check them, and see that damaged ones are rejected. Rules are proved against the tables in
the folders SYZYGY (who wins) and GAVIOTA (how long it takes); RULE_SAMPLE=N puts them to N random placements only, which
proves nothing, but is quick.
"""

import itertools
import os
import re
import struct
import subprocess
import sys
import tempfile

import by_slices
import chess
import closed
import rules
import xxhash

PIECES = [None] + [chess.Piece(role, color) for color in (True, False) for role in (6, 5, 4, 3, 2, 1)]


class Rejected(Exception):
    pass


def need(condition, why):
    if not condition:
        raise Rejected(why)


def key(board):
    """The four fields of a FEN, en passant only where it can be done."""
    return " ".join(board.fen(en_passant="legal").split()[:4])


FAULTS = (
    chess.STATUS_NO_WHITE_KING | chess.STATUS_NO_BLACK_KING | chess.STATUS_TOO_MANY_KINGS | chess.STATUS_PAWNS_ON_BACKRANK
    | chess.STATUS_BAD_CASTLING_RIGHTS | chess.STATUS_INVALID_EP_SQUARE | chess.STATUS_OPPOSITE_CHECK
)


def legal(board):
    """All that is asked of a position; python-chess also counts men, which the document does not."""
    marked = board.ep_square is None or board.has_legal_en_passant()
    return not board.status() & FAULTS and marked and chess.popcount(board.occupied) <= 32


def read_position(data, at):
    (occupied,) = struct.unpack_from("<Q", data, at)
    at += 8
    squares = [s for s in range(64) if occupied >> s & 1]
    need(len(squares) <= 32, "at most 32 men")
    length = (len(squares) + 1) // 2
    men = int.from_bytes(data[at : at + length], "little")
    at += length
    (state,) = struct.unpack_from("<H", data, at)
    need(men >> 4 * len(squares) == 0 and state >> 13 == 0, "unused bits")
    board = chess.Board(None)
    for k, square in enumerate(squares):
        code = men >> 4 * k & 15
        need(1 <= code <= 12, "code of a man")
        board.set_piece_at(square, PIECES[code])
    board.turn = state & 1 == 0
    corners = [chess.BB_A1, chess.BB_H1, chess.BB_A8, chess.BB_H8]
    board.castling_rights = sum(corner for k, corner in enumerate(corners) if state >> (1 + k) & 1)
    white, black = state >> 5 & 15, state >> 9 & 15
    need(white <= 8 and black <= 8 and not (black if not board.turn else white), "a mark for a capture in passing")
    if white or black:
        board.ep_square = chess.square((white or black) - 1, 2 if white else 5)
    return board, at + 2


def read_entry(data, at):
    board, at = read_position(data, at)
    (bits,) = struct.unpack_from("<H", data, at)
    return board, checked_bits(bits), at + 2


def checked_bits(bits):
    need(bits >> 15 == 0 and bits >> 12 in (0, 2, 3, 4, 5), "bits of a move")
    need(bits == 0 or bits & 63 != bits >> 6 & 63, "a move that goes nowhere")
    return bits


def read_move(bits):
    promotion = [None, None, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT][bits >> 12]
    return chess.Move(bits & 63, bits >> 6 & 63, promotion)


def images(board):
    """The position seen through the reflections that the laws do not notice."""
    if board.castling_rights:
        return [board]
    half = [board, board.transform(chess.flip_horizontal)]
    if board.pawns:
        return half
    half += [b.transform(chess.flip_vertical) for b in half]
    return half + [b.transform(chess.flip_diagonal) for b in half]


def name(board, kind):
    """What stands for the position in a section of this kind."""
    return min(map(key, images(board))) if kind == "S" else key(board)


def safe(board, owner):
    """No sequence of legal moves mates the owner."""
    theirs, ours = board.occupied_co[not owner], board.occupied_co[owner]
    if chess.popcount(theirs) == 1:
        return True
    minor = theirs & (board.knights | board.bishops)
    return chess.popcount(theirs) == 2 and minor != 0 and chess.popcount(ours) == 1


# Aims: φ as nodes, each a list of words; the last one is φ.

SIDES = {"white": True, "black": False}
WORTH = {chess.QUEEN: 9, chess.ROOK: 5, chess.BISHOP: 3, chess.KNIGHT: 3, chess.PAWN: 1}
COMPARE = {"<": int.__lt__, "<=": int.__le__, "=": int.__eq__, ">=": int.__ge__, ">": int.__gt__}


def integer(word, least, most):
    need(re.fullmatch(r"-?(0|[1-9][0-9]*)", word) and word != "-0" and least <= int(word) <= most, f"number {word}")
    return int(word)


def man(word):
    need(len(word) == 1 and word in "KQRBNPkqrbnp", f"man {word}")
    return chess.Piece.from_symbol(word)


def total(words):
    """A sum as a function of the board."""
    terms, words = [], list(words)
    while words:
        need(words[0] in "+-" and len(words) > 1, "a sign and a term")
        sign, what = 1 if words.pop(0) == "+" else -1, words.pop(0)
        if what == "count":
            piece = man(words.pop(0))
            terms.append((sign, lambda b, p=piece: len(b.pieces(p.piece_type, p.color))))
        elif what == "material":
            side = SIDES[words.pop(0)]
            terms.append((sign, lambda b, s=side: sum(w * len(b.pieces(r, s)) for r, w in WORTH.items())))
        else:
            terms.append((sign, lambda b, n=integer(what, -(2**31), 2**31 - 1): n))
    need(1 <= len(terms) <= 64, "terms of a sum")
    return lambda b: sum(sign * value(b) for sign, value in terms)


def atom(words):
    """An atom as a function of the board."""
    kind, rest = words[0], words[1:]
    if kind == "compare":
        (middle,) = [k for k, word in enumerate(rest) if word in COMPARE]
        left, right = total(rest[:middle]), total(rest[middle + 1 :])
        return lambda b: COMPARE[rest[middle]](left(b), right(b))
    counts = {"mate": 1, "check": 1, "on": 2, "attacked": 2, "can_castle": 1}
    need(len(rest) == counts.get(kind, 0), f"arguments of {kind}")
    if kind in ("white_to_move", "black_to_move"):
        return lambda b: b.turn == (kind == "white_to_move")
    if kind in ("true", "false"):
        return lambda b: kind == "true"
    if kind == "stalemate":
        return lambda b: b.is_stalemate()
    if kind == "mate":
        return lambda b, s=SIDES[rest[0]]: b.turn == s and b.is_checkmate()
    if kind == "check":
        return lambda b, s=SIDES[rest[0]]: b.is_attacked_by(not s, b.king(s))
    if kind == "on":
        return lambda b, p=man(rest[0]), s=chess.parse_square(rest[1]): b.piece_at(s) == p
    if kind == "attacked":
        return lambda b, s=chess.parse_square(rest[0]), w=SIDES[rest[1]]: b.is_attacked_by(w, s)
    need(kind == "can_castle" and rest[0] in ("K", "Q", "k", "q"), f"atom {kind}")
    corner = {"K": chess.BB_H1, "Q": chess.BB_A1, "k": chess.BB_H8, "q": chess.BB_A8}[rest[0]]
    return lambda b: bool(b.castling_rights & corner)


class Aim:
    """φ: its nodes, and how deep each looks ahead."""

    ARITY = {"not": 1, "next": 1, "and": 2, "or": 2, "iff": 2}

    def __init__(self, lines):
        need(1 <= len(lines) <= 4096, "number of nodes")
        self.nodes, self.ahead = [], []
        for at, words in enumerate(lines):
            if words[0] in self.ARITY:
                need(len(words) == 1 + self.ARITY[words[0]], "arguments of a node")
                parts = [integer(word, 0, at - 1) for word in words[1:]]
                depth = max(self.ahead[part] for part in parts)
                need(depth == 0 or words[0] not in ("not", "iff"), "next under a negation")
                self.nodes.append((words[0], parts))
                self.ahead.append(depth + (words[0] == "next"))
                need(self.ahead[-1] <= 4, "next is nested too deep")
            else:
                self.nodes.append((None, atom(words)))
                self.ahead.append(0)

    def holds(self, board, at=None, known=None):
        at, known = len(self.nodes) - 1 if at is None else at, {} if known is None else known
        # Below: children first, one after the other, so that a shared or deep graph costs its size.
        kind = None
        for node in sorted(self.below(at)):
            kind, parts = self.nodes[node]
            if kind is None:
                known[node] = parts(board)
            elif kind == "next":
                values = []
                for move in board.legal_moves:
                    board.push(move)
                    values.append(self.holds(board, parts[0]))
                    board.pop()
                    if not values[-1]:
                        break
                known[node] = all(values) if values else self.holds(board, parts[0])
            else:
                values = [known[part] for part in parts]
                known[node] = {
                    "not": lambda: not values[0],
                    "and": lambda: values[0] and values[1],
                    "or": lambda: values[0] or values[1],
                    "iff": lambda: values[0] == values[1],
                }[kind]()
        return known[at]

    def below(self, at):
        """The nodes that a node needs in the same position."""
        found, left = set(), [at]
        while left:
            node = left.pop()
            if node not in found:
                found.add(node)
                kind, parts = self.nodes[node]
                left += [] if kind in (None, "next") else parts
        return found


# Aims as text, of versions 1 to 3: turned into nodes.

TOKEN = re.compile(r"\s*(?:(let)\b|(AF|AX|T\b|F\b|true\b|false\b)|(<->|->|<=|>=|[()&|~;,<>=+-])|([A-Za-z_]\w*)|(\d+))")


class Text:
    """A parser of `let` definitions and one formula `AF φ` (operators by binding strength)."""

    def __init__(self, text):
        self.tokens, self.lines, self.names, at = [], [], {}, 0
        need(len(text.encode()) <= 16384, "length of the aim")
        while at < len(text.rstrip()):
            match = TOKEN.match(text, at)
            need(match, f"aim at {text[at:at + 20]!r}")
            self.tokens.append(match.group().strip())
            at = match.end()
        while self.peek() == "let":
            self.next()
            defined = self.next()
            need(self.next() == "=", "a definition")
            self.names[defined] = self.formula()
            need(self.next() == ";", "the end of a definition")
        need(self.next() == "AF", "AF φ")
        if self.peek() in self.names:
            pass
        self.root = self.unary()
        need(not self.tokens, "the end of the aim")
        # φ has to be the last node.
        if self.root != len(self.lines) - 1:
            self.root = self.add("and", self.root, self.root)

    def peek(self):
        return self.tokens[0] if self.tokens else None

    def next(self):
        need(self.tokens, "the aim ends early")
        return self.tokens.pop(0)

    def add(self, *words):
        self.lines.append([str(word) for word in words])
        return len(self.lines) - 1

    def formula(self, level=0):
        if level == 4:
            return self.unary()
        sign, kind = [("<->", "iff"), ("->", "or"), ("|", "or"), ("&", "and")][level]
        left = self.formula(level + 1)
        while self.peek() == sign:
            self.next()
            # An implication binds to the right.
            right = self.formula(level if sign == "->" else level + 1)
            left = self.add(kind, self.add("not", left) if sign == "->" else left, right)
        return left

    def unary(self):
        prefixes = []
        while self.peek() in ("~", "AX"):
            prefixes.append(self.next())
        if self.peek() == "(":
            self.next()
            node = self.formula()
            need(self.next() == ")", "a bracket")
        else:
            node = self.leaf()
        for prefix in reversed(prefixes):
            node = self.add("not" if prefix == "~" else "next", node)
        return node

    def leaf(self):
        token = self.peek()
        if token in ("T", "true", "F", "false"):
            self.next()
            return self.add("true" if token in ("T", "true") else "false")
        if token in self.names:
            self.next()
            return self.names[token]
        words = self.sum()
        if self.peek() in COMPARE:
            return self.add("compare", *words, self.next(), *self.sum())
        need(words[0] == "+" and "-" not in words[1:] and words.count("+") == 1, "an atom")
        return self.add(*words[1:])

    def sum(self):
        words = ["+"] + self.term()
        while self.peek() in ("+", "-"):
            words += [self.next()] + self.term()
        return words

    def term(self):
        word = self.next()
        if word == "-":
            word += self.next()
        words = [word]
        if self.peek() == "(":
            self.next()
            while self.peek() != ")":
                words.append(self.next())
                if self.peek() == ",":
                    self.next()
            self.next()
        return words


def check_section(data, at, root, aim, book):
    """Kind, owner, what is answered (in a win with plies), and where the section ends."""
    kind, owner = chr(data[at]), data[at + 1 : at + 2] == b"w"
    need(kind in "WDHS" and data[at + 1 : at + 2] in (b"w", b"b"), "head of the section")
    at += 2
    entries, last = [], 0
    while True:
        count, rank = struct.unpack_from("<II", data, at)
        at += 8
        if count == 0:
            need(rank == 0, "the end of the section")
            break
        need(kind in "WD" or rank == 0, "a hold has no ranks")
        need(kind not in "WD" or rank > last, "ranks rise")
        last = rank
        for _ in range(count):
            board, bits, at = read_entry(data, at)
            need(legal(board) and board.turn == owner, f"position {board.fen()}")
            need(chess.popcount(board.occupied) <= chess.popcount(root.occupied), "no more men than the root has")
            entries.append((board, bits, rank))
    answered = {}
    if kind == "W":
        for board, bits, _ in entries:
            here = key(board)
            need(here not in answered and bits != 0, f"entry {here}")
            move = read_move(bits)
            need(board.is_legal(move), f"{move} at {here}")
            board.push(move)
            answered[here] = 1 + behind(board, owner, answered, aim, book)
        return kind, owner, answered, at
    for board, _, rank in entries:
        here = name(board, kind)
        need(here not in answered, f"{here} is answered twice")
        answered[here] = rank
    for board, bits, rank in entries:
        if kind == "D":
            move = read_move(bits)
            need(bits != 0 and board.is_legal(move), f"{move} at {board.fen()}")
            board.push(move)
            need(not lost(board, owner, aim), f"the end in {board.fen()}")
            for reply in list(board.legal_moves) if rank > 1 else []:
                board.push(reply)
                delayed(board, owner, rank - 2, answered, aim)
                board.pop()
            continue
        need(not board.is_checkmate(), "the owner is mated")
        if board.is_stalemate():
            need(bits == 0, "a move in stalemate")
            continue
        move = read_move(bits)
        need(bits != 0 and board.is_legal(move), f"{move} at {board.fen()}")
        board.push(move)
        held(board, kind, owner, answered, book)
    return kind, owner, answered, at


def check_line(data, at, root):
    """A line to a mate: its owner, how many moves, and where the section ends."""
    need(data[at + 1 : at + 2] in (b"w", b"b"), "head of the section")
    owner, board = data[at + 1 : at + 2] == b"w", root.copy()
    (count,) = struct.unpack_from("<I", data, at + 2)
    need(count <= 65536, "length of a line")
    for n in range(count):
        (bits,) = struct.unpack_from("<H", data, at + 6 + 2 * n)
        need(checked_bits(bits), "a move")
        move = read_move(bits)
        need(board.is_legal(move), f"{move} at {board.fen()}")
        board.push(move)
    need(board.turn != owner and board.is_checkmate(), f"no mate in {board.fen()}")
    return owner, count, at + 6 + 2 * count


def read_closed(data, at):
    """The positions and the patterns of a closed set, and where it ends."""
    (count,), at, listed, patterns = struct.unpack_from("<I", data, at), at + 4, [], []
    for _ in range(count):
        board, at = read_position(data, at)
        listed.append(board)
    (count,), at = struct.unpack_from("<I", data, at), at + 4
    need(count <= 65536, "number of patterns")
    for _ in range(count):
        pattern, at = closed.read_pattern(data, at, need)
        patterns.append(pattern)
    return listed, patterns, at


def check_closed(data, at, root):
    """A closed set: its owner, how much it holds, and where the section ends."""
    need(data[at + 1 : at + 2] in (b"w", b"b"), "head of the section")
    owner = data[at + 1 : at + 2] == b"w"
    listed, patterns, at = read_closed(data, at + 2)
    for board in listed:
        need(legal(board) and chess.popcount(board.occupied) <= chess.popcount(root.occupied), "a position")
    closed.check_never(root, owner, listed, patterns, key, need)
    return owner, len(listed) + len(patterns), at


def lost(board, owner, aim):
    """Whether what a delay puts off has come about: the aim, or the owner's mate."""
    return aim.holds(board) if aim else board.turn == owner and board.is_checkmate()


def delayed(board, owner, left, answered, aim):
    """With the owner of a delay to move: not lost, nor in so many plies."""
    need(not lost(board, owner, aim), f"the end in {board.fen()}")
    if left and any(board.legal_moves):
        need(answered.get(key(board), 0) >= left, f"no answer for {left} plies in {board.fen()}")


def find_keys(root, plies, won, delays, aim):
    """The first moves that win in time; every other one is met."""
    need(plies > 0, "no plies")
    keys, owner = [], root.turn
    for first in list(root.legal_moves):
        root.push(first)
        try:
            # A copy: what is rejected leaves its board where it was.
            wins = behind(root.copy(), owner, won, aim, None) < plies
        except Rejected:
            wins = False
        if wins:
            keys.append(first.uci())
        else:
            delayed(root, not owner, plies - 1, delays, aim)
        root.pop()
    return keys


def ended(board, owner, wins, book):
    """Plies at most (in a hold 0) where a rule ends the line."""
    return book.ends(board, owner, wins, images) if book else None


def rank(board, owner, answered, aim, book):
    """Plies at most with the owner to move; none where nothing is said."""
    if aim and aim.holds(board):
        return 0
    found = answered.get(key(board))
    return ended(board, owner, True, book) if found is None else found


def behind(board, owner, answered, aim, book):
    """Plies at most with the opponent to move."""
    if aim and aim.holds(board):
        return 0
    need(any(board.legal_moves) or not aim and board.is_checkmate(), f"the game ends in {board.fen()}")
    ranks, by_rule = [], ended(board, owner, True, book) if any(board.legal_moves) else None
    for reply in list(board.legal_moves):
        board.push(reply)
        ranks.append(rank(board, owner, answered, aim, book))
        need(ranks[-1] is not None or by_rule is not None, f"no answer in {board.fen()}")
        board.pop()
    if None in ranks:
        return by_rule
    plies = max((r + 1 for r in ranks), default=0)
    return plies if by_rule is None else min(plies, by_rule)


def held(board, kind, owner, answered, book):
    """Every reply is answered, or none can hurt."""
    if not safe(board, owner) and ended(board, owner, False, book) is None:
        for reply in list(board.legal_moves):
            board.push(reply)
            settled = name(board, kind) in answered or ended(board, owner, False, book) is not None
            need(settled, f"no answer in {board.fen()}")
            board.pop()


def covered(root, kind, owner, answered, aim, book):
    """Plies from the root at most (of a hold: 0), if the section answers it."""
    if kind == "W":
        if root.turn != owner:
            return behind(root, owner, answered, aim, book)
        plies, by_rule = rank(root, owner, answered, aim, book), ended(root, owner, True, book)
        need(plies is not None, "the root is not answered")
        return plies if by_rule is None else min(plies, by_rule)
    if root.turn != owner:
        held(root, kind, owner, answered, book)
    else:
        settled = safe(root, owner) or name(root, kind) in answered or ended(root, owner, False, book) is not None
        need(settled, "the root is not answered")
    return 0


def readable(data, at, sections):
    """All bytes can be read, and none follow."""
    for _ in range(sections):
        kind, at = data[at : at + 1], at + 2
        if kind == b"L":
            (count,) = struct.unpack_from("<I", data, at)
            at += 4 + 2 * count
            continue
        if kind == b"N":
            at = read_closed(data, at)[2]
            continue
        if kind in (b"w", b"h"):
            at = by_slices.read(data, at, kind == b"w", read_position, need)[1]
            continue
        count = rank = -1
        while count != 0:
            count, rank = struct.unpack_from("<II", data, at)
            at += 8
            for _ in range(count):
                at = read_entry(data, at)[2]
    need(at == len(data) - 8, "bytes after the end")


FAULT = (Rejected, rules.Unread, struct.error, IndexError, ValueError, TypeError, KeyError)


def check(data):
    """The claim, if the certificate proves it; how many positions it holds."""
    need(re.match(rb"theta-certificate [1-4]\n", data), "magic")
    version = data[18] - ord("0")
    need(xxhash.xxh3_64(data[:-8]).intdigest() == int.from_bytes(data[-8:], "little"), "checksum")
    end = data.index(b"\n\n")
    need(end + 2 <= 4 << 20, "length of the header")
    lines = data[:end].decode().split("\n")
    need(all(len(line.encode()) < 65536 for line in lines), "length of a line")
    need(lines[1].startswith("root ") and lines[2].startswith("claim "), "header")
    root, claim, rest = chess.Board(lines[1][5:] + " 0 1"), lines[2][6:], lines[3:]
    need(legal(root) and key(root) == lines[1][5:], "root")
    number = "(0|[1-9][0-9]*)"
    can = "White can (never )?mate|Black can (never )?mate|White can (never )?mate, Black can (never )?mate"
    keyed = rf"(White|Black)'s keys (to the aim )?in {number} plies"
    form = rf"{can}|draw|{keyed}|(White|Black) (holds|wins in {number} plies|forces the aim in {number} plies)"
    need(re.fullmatch(form, claim), "claim")
    words = claim.split(" ")
    keyed, forces = "keys" in words, "forces" in words or "aim" in words
    plies = [int(word) for word in words if word.isdigit()]
    need(not plies or plies[0] < 2**32, "claim")
    aim = None
    if forces and version < 4:
        need(rest and rest[0].startswith("aim "), "no aim")
        aim = Aim(Text(rest.pop(0)[4:]).lines)
    elif forces:
        nodes = [line[5:].split(" ") for line in itertools.takewhile(lambda line: line.startswith("node "), rest)]
        aim, rest = Aim(nodes), rest[len(nodes) :]
    cited = list(itertools.takewhile(lambda line: line.startswith("rule "), rest))
    need(all(line.startswith("note ") for line in rest[len(cited) :]) and len(rest) <= 1000, "lines of the header")
    tasks = [(b"L" if "never" not in part else b"N", part) for part in claim.split(", ") if " can " in part]
    need(not cited or version >= 3 and not forces and not tasks and not keyed and len(cited) <= 64, "rules")
    # Rules are proved last: the file is read first.
    readable(data, end + 2, 2 if claim == "draw" or keyed else len(tasks) or 1)
    book = rules.Book(cited, bool(plies)) if cited else None
    owners = [True, False] if claim == "draw" else [words[0] == "White"]
    at, positions = end + 2, 0
    if keyed:
        owner = words[0] == "White's"
        need(root.turn == owner, "who is to move")
        need(data[at : at + 1] == b"W", "the section does not fit the claim")
        _, of, won, at = check_section(data, at, root, aim, None)
        need(of == owner and data[at : at + 1] == b"D", "the section does not fit the claim")
        _, of, delays, at = check_section(data, at, root, aim, None)
        need(of != owner and at == len(data) - 8, "the section does not fit the claim")
        keys = find_keys(root, plies[0], won, delays, aim)
        return f"{claim}: {' '.join(keys) or 'none'}", len(won) + len(delays)
    for kind, part in tasks:
        need(data[at : at + 1] == kind, "the section does not fit the claim")
        owner, count, at = (check_line if kind == b"L" else check_closed)(data, at, root)
        need(owner == (part.startswith("White") == (kind == b"L")), "the section does not fit the claim")
        positions += count
    for wanted in [] if tasks else owners:
        if not plies and data[at : at + 1] == b"N":
            owner, count, at = check_closed(data, at, root)
            need(owner == wanted, "the section does not fit the claim")
            positions += count
            continue
        if data[at : at + 1] == (b"w" if plies else b"h"):
            need(not cited and not aim and data[at + 1 : at + 2] == (b"w" if wanted else b"b"), "head of the section")
            listed, at = by_slices.read(data, at + 2, bool(plies), read_position, need)
            needed, count = by_slices.check(listed, root, wanted, bool(plies), legal, safe, images, need)
            need(not plies or needed <= plies[0], f"{needed} plies are needed")
            positions += count
            continue
        need(data[at : at + 1] in (b"W" if plies else b"HS"), "the section does not fit the claim")
        kind, owner, answered, at = check_section(data, at, root, aim, book)
        need(owner == wanted, "the section does not fit the claim")
        needed = covered(root, kind, owner, answered, aim, book)
        need(not plies or needed <= plies[0], f"{needed} plies are needed")
        positions += len(answered)
    need(at == len(data) - 8, "bytes after the end")
    return claim, positions


POSITIONS = [
    "8/8/8/3k4/8/8/8/KQ6 w - -",
    "8/8/8/8/8/1k6/7R/K7 b - -",
    "8/8/8/8/8/8/2k4q/K7 w - -",
    "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -",
    "7k/6Q1/6K1/8/8/8/8/8 b - -",
    "7k/5Q2/6K1/8/8/8/8/8 b - -",
    "8/8/8/2k5/3Pp3/8/8/4K3 b - d3",
    "8/8/8/8/8/2k5/8/R3K3 w Q -",
    "8/2P5/8/8/8/2k5/8/K7 w - -",
    "q5nr/1ppknQpp/3p4/1P2p3/4P3/B1PP1b2/B5PP/5K2 w - -",
    "7K/8/k1P5/7p/8/8/8/8 w - -",
]


# Who can still mate: one of each kind, both ways.
CAN = [
    "7k/8/5K2/8/8/8/6Q1/8 w - -",
    "8/8/8/8/8/5k2/8/4B2K w - -",
    "7b/1k5B/7b/8/1p1p1p1p/1PpP1P1P/2P3K1/N7 b - -",
    "7k/1p4pP/6P1/8/8/1p6/pP4P1/K7 w - -",
    "1b1k4/p1p1p1p1/P1P1P1P1/p1p1p1p1/8/8/P1P1P1P1/3K4 w - -",
    "kb6/p1p5/P1P5/2P5/2P5/K1P5/B1P5/1B6 b - -",
]


# Keys: one, two, none; of a selfmate; of stalemate.
KEYS = [
    ("2B5/8/2pNpKp1/2BkPb2/1PpP3n/P5rp/8/1N6 w - -", "#2"),
    ("8/8/8/8/R7/2k5/8/4K2R w K -", "#3"),
    ("8/8/8/8/8/5K2/3Q4/5k2 w - -", "#1"),
    ("7k/8/5K2/8/8/8/6Q1/8 w - -", "#2"),
    ("8/8/8/8/1p4Q1/k7/p7/K7 w - -", "s#2"),
    ("3K1NR1/5PPB/8/3pN1k1/6P1/6R1/3P4/4B3 w - -", "=2"),
]


def main():
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__)
        return
    rejected = 0
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            try:
                print("accepted: {} ({} positions)".format(*check(file.read())))
            except FAULT as fault:
                print(f"rejected: {path}: {fault}")
                rejected = 1
    if sys.argv[1:]:
        sys.exit(rejected)
    theta = os.environ.get("THETA", "target/release/theta")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.cert")
        tasks = [("solve", fen) for fen in POSITIONS] + [("dead", fen) for fen in CAN]
        tasks = [(True, *task) for task in tasks[: len(POSITIONS)]] + [(False, *task) for task in tasks]
        for converted, command, *words in tasks + [(False, "problem", fen, "--stip", asked) for fen, asked in KEYS]:
            fen = words[0]
            run = subprocess.run([theta, "-q", command, *words, "--cert", path], capture_output=True)
            assert run.returncode in (0, 1), run.stderr
            if converted:
                run = [theta, "-q", "verify", path, "--convert", path, "--form", "slices"]
                assert subprocess.run(run, capture_output=True).returncode == 0
            with open(path, "rb") as file:
                data = file.read()
            claim, positions = check(data)
            print(f"ok   {fen}: {claim} ({positions} positions)")
            # A changed move or rank, with the checksum made right again, must be seen.
            begin = data.index(b"\n\n") + 2
            survived = 0
            for at in range(begin, len(data) - 8, max(1, (len(data) - begin) // 40)):
                bad = bytearray(data)
                bad[at] ^= 1 << at % 8
                bad[-8:] = xxhash.xxh3_64(bytes(bad[:-8])).intdigest().to_bytes(8, "little")
                with open(path, "wb") as file:
                    file.write(bad)
                run = subprocess.run([theta, "verify", path], capture_output=True, text=True)
                theirs = run.returncode == 0
                try:
                    check(bytes(bad))
                    ours = True
                except FAULT:
                    ours = False
                assert ours == theirs, f"byte {at}: here {ours}, theta {run.stdout}"
                survived += ours
            print(f"     of 40 changed bytes both checkers let {survived} pass, the same ones")
    print("certificate: ok")


if __name__ == "__main__":
    main()
