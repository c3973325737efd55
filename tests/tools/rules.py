"""The rules that certificates cite, from docs/certificate.md alone: read, evaluated, and put to every legal position of
their material against Syzygy's files (who wins) and Gaviota's (how long it takes). Needs PyPI's chess.
"""

import itertools
import os
import random
import re

import chess
import chess.gaviota
import chess.syzygy


class Unread(Exception):
    pass


def need(condition, why):
    if not condition:
        raise Unread(why)


def distance(a, b):
    return chess.square_distance(a, b)


class Scene:
    """A placement: squares by the names of the men, the side to move, and the board."""

    def __init__(self, board, names):
        self.board, self.names = board, names
        self.white = board.turn

    def plies(self, white, moves):
        return 2 * moves - (self.white == white)

    def attacked(self, square, white):
        return any(s != square for s in self.board.attackers(white, square))

    def promoted(self, pawn, at):
        board = self.board.copy(stack=False)
        board.remove_piece_at(self.names[pawn])
        return board, board.set_piece_at(at, chess.Piece(chess.QUEEN, pawn.isupper()))


def white_of(man):
    return man[0].isupper()


def queening(scene, pawn):
    return chess.square(chess.square_file(scene.names[pawn]), 7 if white_of(pawn) else 0)


def moves_of(scene, pawn):
    rank = chess.square_rank(scene.names[pawn])
    return min(7 - (rank if white_of(pawn) else 7 - rank), 5)


def opposed(scene, apart):
    a, b = scene.names["K"], scene.names["k"]
    files = abs(chess.square_file(a) - chess.square_file(b))
    ranks = abs(chess.square_rank(a) - chess.square_rank(b))
    return (files == 0 or ranks == 0 or files == ranks) and max(files, ranks) in apart


def queens_with_check(scene, pawn):
    at, king = queening(scene, pawn), scene.board.king(not white_of(pawn))
    board, _ = scene.promoted(pawn, at)
    return at != king and king in board.attacks(at)


def queen_sees(at, occupied):
    return chess.BB_DIAG_ATTACKS[at][chess.BB_DIAG_MASKS[at] & occupied] | (
        chess.BB_RANK_ATTACKS[at][chess.BB_RANK_MASKS[at] & occupied]
        | chess.BB_FILE_ATTACKS[at][chess.BB_FILE_MASKS[at] & occupied]
    )


def queen_falls(scene, pawn, other):
    king, theirs = scene.board.king(white_of(pawn)), scene.board.king(white_of(other))
    mine, hunter = queening(scene, pawn), queening(scene, other)
    bit = chess.BB_SQUARES
    occupied = scene.board.occupied & ~bit[scene.names[pawn]] & ~bit[scene.names[other]] | bit[mine] | bit[hunter]
    reach = queen_sees(hunter, occupied)
    if reach & bit[mine]:
        return True
    without = occupied & ~bit[hunter]
    for s in chess.scan_forward(reach & ~occupied):
        taken = distance(s, king) == 1 and distance(s, theirs) > 1 or queen_sees(mine, without) & bit[s]
        sees = queen_sees(s, without | bit[s])
        through = queen_sees(s, (without | bit[s]) & ~bit[king])
        if not taken and sees & bit[king] and through & bit[mine]:
            return True
    return False


SIGNS = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, "=": lambda a, b: a == b, "!=": lambda a, b: a != b,
    ">=": lambda a, b: a >= b, ">": lambda a, b: a > b,
}  # fmt: skip
TOKEN = re.compile(r'\s*("[^"\n]*"|<=|>=|!=|[()&|~,<>={}+-]|[A-Za-z_][A-Za-z_0-9]*|\d+)')
ENDS = ["white wins", "black wins", "draw", "white holds", "black holds"]
ENDS += ["side to move wins", "side to move holds", "side to move loses"]


class Rule:
    """`rule NAME "…" material KXvK if … unless … then …`"""

    def __init__(self, text):
        need(len(text.encode()) <= 4096, "a rule is too long")
        head = re.match(r"rule ([A-Za-z0-9_-]+)\s", text)
        need(head, "rule NAME")
        self.tokens, at = [], head.end()
        while at < len(text.rstrip()):
            match = TOKEN.match(text, at)
            need(match, f"rule at {text[at:at + 20]!r}")
            self.tokens.append(match.group(1))
            at = match.end()
        self.depth = 0
        if self.peek() and self.peek()[0] == '"':
            self.next()
        self.words("material")
        sides = re.fullmatch(r"(K[QRBNP]*)v(K[QRBNP]*)", self.next())
        need(sides, "material")
        men = list(sides.group(1)) + list(sides.group(2).lower())
        self.men = men
        alike = {m: men.count(m) for m in men}
        self.called = [m if alike[m] == 1 else f"{m}{1 + men[:n].count(m)}" for n, m in enumerate(men)]
        self.words("if")
        self.condition = self.any()
        if self.peek() == "unless":
            self.next()
            condition, exception = self.condition, self.any()
            self.condition = lambda s: condition(s) and not exception(s)
        self.words("then")
        self.conclusion = " ".join(self.tokens)
        need(self.conclusion in ENDS, "conclusion")
        self.longest = None

    def peek(self, at=0):
        return self.tokens[at] if at < len(self.tokens) else None

    def next(self):
        need(self.tokens, "the rule ends early")
        return self.tokens.pop(0)

    def begins(self, text):
        words = text.split(" ")
        return self.tokens[: len(words)] == words

    def words(self, text):
        need(self.begins(text), f"`{text}`")
        del self.tokens[: len(text.split(" "))]

    def one_of(self, *texts):
        for text in texts:
            if self.begins(text):
                self.words(text)
                return text
        return None

    def any(self):
        parts = [self.all()]
        while self.one_of("or", "|"):
            parts.append(self.all())
        return lambda s: any(part(s) for part in parts)

    def all(self):
        parts = [self.negated()]
        while self.one_of("and", "&"):
            parts.append(self.negated())
        return lambda s: all(part(s) for part in parts)

    def nested(self, inner):
        self.depth += 1
        need(self.depth <= 64, "too deep")
        found = inner()
        self.depth -= 1
        return found

    def negated(self):
        if self.one_of("not", "~"):
            inner = self.nested(self.negated)
            return lambda s: not inner(s)
        return self.atom()

    def man(self, kind=None):
        name = self.next()
        need(name in self.called and (kind is None or name[0].upper() == kind), f"man {name}")
        return name

    def side(self):
        side = self.one_of("white", "black")
        need(side, "a side")
        return side == "white"

    def square(self):
        name = self.next()
        need(name in chess.SQUARE_NAMES, f"square {name}")
        return chess.parse_square(name)

    def in_brackets(self, *readers):
        self.words("(")
        found = [readers[0]()]
        for reader in readers[1:]:
            self.words(",")
            found.append(reader())
        self.words(")")
        return found

    def place(self):
        if self.one_of("queening"):
            (pawn,) = self.in_brackets(lambda: self.man("P"))
            return lambda s: queening(s, pawn)
        if self.one_of("ahead"):
            (pawn,) = self.in_brackets(lambda: self.man("P"))
            return lambda s: s.names[pawn] + (8 if white_of(pawn) else -8)
        if self.peek() in chess.SQUARE_NAMES:
            square = self.square()
            return lambda s: square
        man = self.man()
        return lambda s: s.names[man]

    def atom(self):
        if self.one_of("("):
            inner = self.nested(self.any)
            self.words(")")
            return inner
        for side in ("white", "black"):
            if self.one_of(f"{side} to move", f"{side}_to_move"):
                return lambda s: s.white == (side == "white")
            if self.one_of(f"{side} in check"):
                return lambda s: s.attacked(s.board.king(side == "white"), side != "white")
        fixed = self.one_of("true", "stalemate", "kings in opposition", "kings in distant opposition", "en passant")
        if fixed:
            return {
                "true": lambda s: True,
                "stalemate": lambda s: s.board.is_stalemate(),
                "kings in opposition": lambda s: opposed(s, (2,)),
                "kings in distant opposition": lambda s: opposed(s, (4, 6)),
                "en passant": lambda s: s.board.ep_square is not None,
            }[fixed]
        if self.one_of("check"):
            (white,) = self.in_brackets(self.side)
            return lambda s: s.attacked(s.board.king(white), not white)
        if self.begins("on ("):
            self.next()
            place, square = self.in_brackets(self.place, self.square)
            return lambda s: place(s) == square
        if self.begins("attacked ("):
            self.next()
            place, white = self.in_brackets(self.place, self.side)
            return lambda s: s.attacked(place(s), white)
        if self.one_of("queen of"):
            pawn = self.man("P")
            self.words("falls to queen of")
            other = self.man("P")
            return lambda s: queen_falls(s, pawn, other)
        if self.peek() in ("distance", "plies", "file", "rank", "moves", "queens") or re.match(r"[\d-]", self.peek() or ""):
            return self.comparison()
        name, place = self.peek(), self.place()
        if self.one_of("on"):
            squares = {self.square()} if not self.one_of("{") else self.listed()
            return lambda s: place(s) in squares
        if self.one_of("attacked by"):
            white = self.side()
            return lambda s: s.attacked(place(s), white)
        if self.one_of("beside"):
            other = self.place()
            return lambda s: distance(place(s), other(s)) == 1
        if self.one_of("in front of"):
            pawn = self.man("P")
            up = 1 if white_of(pawn) else -1
            return lambda s: (
                chess.square_file(place(s)) == chess.square_file(s.names[pawn])
                and (chess.square_rank(place(s)) - chess.square_rank(s.names[pawn])) * up > 0
            )
        if name in ("K", "k") and self.one_of("in square of"):
            pawn = self.man("P")
            first = lambda s: s.white == white_of(name)
            return lambda s: distance(s.names[name], queening(s, pawn)) - first(s) <= moves_of(s, pawn)
        if name in ("K", "k") and self.one_of("closer to"):
            to = self.place()
            self.words("than")
            other = self.man("K")
            far = lambda s, king: s.plies(white_of(king), distance(s.names[king], to(s)))
            return lambda s: far(s, name) < far(s, other)
        need(name in self.called and name[0] in "Pp", "a condition")
        self.words("queens with check")
        return lambda s: queens_with_check(s, name)

    def listed(self):
        squares = {self.square()}
        while self.one_of(","):
            squares.add(self.square())
        self.words("}")
        return squares

    def comparison(self):
        numbers, signs = [self.sum()], []
        while self.peek() in SIGNS:
            signs.append(SIGNS[self.next()])
            numbers.append(self.sum())
        need(signs, "a comparison")
        return lambda s: all(sign(a(s), b(s)) for sign, a, b in zip(signs, numbers, numbers[1:]))

    def sum(self):
        terms = [(1, self.term())]
        while self.peek() in ("+", "-"):
            terms.append((1 if self.next() == "+" else -1, self.term()))
            need(len(terms) <= 64, "terms")
        return lambda s: sum(sign * term(s) for sign, term in terms)

    def constant(self):
        sign = -1 if self.one_of("-") else 1
        digits = self.next()
        need(digits.isdigit(), "a number")
        return sign * int(digits)

    def term(self):
        word = self.peek()
        if word == "distance":
            self.next()
            a, b = self.in_brackets(self.place, self.place)
            return lambda s: distance(a(s), b(s))
        if self.one_of("plies to rank"):
            king, rank = self.in_brackets(lambda: self.man("K"), self.constant)
            return lambda s: s.plies(white_of(king), abs(chess.square_rank(s.names[king]) + 1 - rank))
        if word == "plies":
            self.next()
            king, place = self.in_brackets(lambda: self.man("K"), self.place)
            return lambda s: s.plies(white_of(king), distance(s.names[king], place(s)))
        if word in ("file", "rank"):
            self.next()
            (place,) = self.in_brackets(self.place)
            of = chess.square_file if word == "file" else chess.square_rank
            return lambda s: of(place(s)) + 1
        if word in ("moves", "queens"):
            self.next()
            (pawn,) = self.in_brackets(lambda: self.man("P"))
            if word == "moves":
                return lambda s: moves_of(s, pawn)
            return lambda s: s.plies(white_of(pawn), moves_of(s, pawn))
        number = self.constant()
        return lambda s: number

    def named(self, board):
        """The men by name, alike ones by their squares; none if the material is another."""
        if sorted(self.men) != sorted(p.symbol() for p in board.piece_map().values()):
            return None
        left = sorted((square, piece.symbol()) for square, piece in board.piece_map().items())
        names = {}
        for man, called in zip(self.men, self.called):
            found = next(item for item in left if item[1] == man)
            left.remove(found)
            names[called] = found[0]
        return names

    def applies(self, board):
        names = self.named(board)
        return names is not None and bool(self.condition(Scene(board, names)))

    def wanted(self, turn):
        """Who wins, or holds (`None`: both), by the conclusion."""
        if self.conclusion == "draw":
            return "holds", None
        who, what = self.conclusion.rsplit(" ", 1)
        side = turn if who == "side to move" else who == "white"
        return ("wins", not side) if what == "loses" else (what, side)

    def settles(self, turn, owner, wins):
        """Whether it says that the owner wins (`wins`), or else holds."""
        what, side = self.wanted(turn)
        return side == owner and what == "wins" if wins else side is None or side == owner

    def placements(self, sample):
        """Every legal position of the material, with and without a capture in passing; of a sample, some."""
        dice = random.Random(1)
        pawns = any(m in "Pp" for m in self.men)
        squares = [range(8, 56) if m in "Pp" else range(64) for m in self.men]
        if sample:
            every = (tuple(dice.choice(s) for s in squares) for _ in range(sample))
        else:
            every = itertools.product(*squares)
        for place in every:
            if len(set(place)) < len(place) or distance(place[self.men.index("k")], place[0]) < 2:
                continue
            for turn in (True, False):
                board = chess.Board(None)
                for square, man in zip(place, self.men):
                    board.set_piece_at(square, chess.Piece.from_symbol(man))
                board.turn = turn
                if board.was_into_check():
                    continue
                yield board
                if pawns:
                    yield from marked(board)

    def prove(self, tables, lengths, sample=0):
        """Whether it holds wherever it applies; finds the longest mate on the way if `lengths` is open."""
        applies, longest = 0, 0
        for board in self.placements(sample):
            if not self.applies(board):
                continue
            applies += 1
            wdl = (tables.probe_wdl(board) > 0) - (tables.probe_wdl(board) < 0)
            what, side = self.wanted(board.turn)
            owner = wdl if side in (None, board.turn) else -wdl
            right = owner > 0 if what == "wins" else owner == 0 if side is None else owner >= 0
            need(right, f"it fails in {board.fen()}")
            if lengths and what == "wins":
                longest = max(longest, abs(lengths.probe_dtm(board)))
        need(applies, "it never applies")
        self.longest = longest
        return applies


def marked(board):
    """The same, just after a double step that can be answered by a capture in passing."""
    own, theirs = board.turn, not board.turn
    rank, step = (4, 8) if own else (3, -8)
    for square in board.pieces(chess.PAWN, theirs):
        if chess.square_rank(square) == rank and not board.occupied & (
            chess.BB_SQUARES[square + step] | chess.BB_SQUARES[square + 2 * step]
        ):
            z = board.copy(stack=False)
            z.ep_square = square + step
            if z.has_legal_en_passant():
                yield z


class Table:
    """`rule syzygy:KRvK checksum …`: a file of the user's, which nobody can prove, but which can be the same."""

    def __init__(self, text, folder, tables):
        match = re.fullmatch(r"rule syzygy:(K[QRBNP]*v(K[QRBNP]*)) checksum ([0-9a-f]{32})", text)
        need(match, "a Syzygy table")
        with open(os.path.join(folder, match.group(1) + ".rtbw"), "rb") as file:
            file.seek(-16, os.SEEK_END)
            need(file.read().hex() == match.group(3), "another Syzygy table")
        first = match.group(1).split("v")[0]
        self.men, self.tables, self.longest = sorted(first + match.group(2).lower()), tables, 20_000

    def applies(self, board):
        return sorted(p.symbol() for p in board.piece_map().values()) == self.men and not board.castling_rights

    def settles_in(self, board, owner, wins):
        value = self.tables.probe_wdl(board) if self.applies(board) else None
        if value is None:
            return False
        value = value if board.turn == owner else -value
        return value > 0 if wins else value >= 0


class Book:
    """Rules that are proved, and tables that are the user's."""

    def __init__(self, texts, wins):
        sample, folder = int(os.environ.get("RULE_SAMPLE", "0")), os.environ.get("SYZYGY", "")
        need(folder, "the folders SYZYGY and GAVIOTA are needed")
        tables = chess.syzygy.open_tablebase(folder)
        lengths = chess.gaviota.open_tablebase(os.environ["GAVIOTA"]) if wins and "GAVIOTA" in os.environ else None
        by_table = [text.startswith("rule syzygy:") for text in texts]
        self.tables = [Table(text, folder, tables) for text, table in zip(texts, by_table) if table]
        self.rules = [Rule(text) for text, table in zip(texts, by_table) if not table]
        need(lengths or not wins or not self.rules, "lengths of rules need GAVIOTA")
        for rule in self.rules:
            rule.prove(tables, lengths, sample)

    def ends(self, board, owner, wins, images):
        """Plies at most (of a hold: 0) where a rule says what the owner wants; else none."""
        found = []
        for white, b in [(True, board), (False, board.mirror())]:
            for table in self.tables:
                if table.settles_in(b, owner == white, wins):
                    found.append(table.longest if wins else 0)
        for white, b in [(True, board), (False, board.mirror())]:
            for rule in self.rules:
                if rule.settles(b.turn, owner == white, wins) and any(rule.applies(image) for image in images(b)):
                    found.append(rule.longest if wins else 0)
        return min(found, default=None)
