"""Lines and closed sets of theta's certificates (docs/certificate.md), with python-chess's rules."""

import struct

import chess

KINDS = [None, chess.KING, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN]
OFFICERS = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
ALL = chess.BB_ALL
EDGE = chess.BB_RANK_1 | chess.BB_RANK_8


class Man:
    """A man of a pattern: its colour, kind and squares."""

    def __init__(self, colour, kind, squares):
        self.colour, self.kind, self.squares = colour, kind, squares

    def fixed(self):
        return self.squares & (self.squares - 1) == 0


def sees(man, square, blockers):
    """What a man attacks from a square; lines end at blockers."""
    if man.kind == chess.PAWN:
        return chess.BB_PAWN_ATTACKS[man.colour][square]
    if man.kind == chess.KNIGHT:
        return chess.BB_KNIGHT_ATTACKS[square]
    seen = 0
    if man.kind in (chess.ROOK, chess.QUEEN):
        seen |= chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & blockers]
        seen |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & blockers]
    if man.kind in (chess.BISHOP, chess.QUEEN):
        seen |= chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & blockers]
    return seen


class Pattern:
    """Men with their squares; kings as a set of (side to move, White's, Black's)."""

    def __init__(self, men, kings):
        self.men, self.kings = men, kings

    def fixed(self):
        """Where somebody always stands."""
        all_men = 0
        for man in self.men:
            all_men |= man.squares if man.fixed() else 0
        for which in (1, 2):
            places = {entry[which] for entry in self.kings}
            all_men |= 1 << places.pop() if len(places) == 1 else 0
        return all_men

    def meets(self, white, black):
        """Whether these are a white and a black pawn that meet on their file."""
        one, other = self.men[white], self.men[black]
        if (one.kind, one.colour, other.kind, other.colour) != (chess.PAWN, True, chess.PAWN, False):
            return False
        files = {chess.square_file(s) for s in chess.scan_forward(one.squares | other.squares)}
        return len(files) == 1 and chess.lsb(one.squares) < chess.lsb(other.squares) and chess.msb(one.squares) < chess.msb(other.squares)

    def passable(self, at, to):
        """Whether every enemy pawn that the pawn meets has a square beyond this one."""
        for other, there in enumerate(self.men):
            if self.men[at].colour and self.meets(at, other) and not there.squares >> (to + 1):
                return False
            if not self.men[at].colour and self.meets(other, at) and not there.squares & ((1 << to) - 1):
                return False
        return True

    def steps(self, at, square, fixed):
        """Where a pawn goes by one step, and by two."""
        ahead = 8 if self.men[at].colour else -8
        one = square + ahead
        if fixed >> one & 1 or not self.passable(at, one):
            return None, None
        home = chess.square_rank(square) == (1 if self.men[at].colour else 6)
        two = one + ahead
        return one, two if home and not fixed >> two & 1 and self.passable(at, two) else None

    def quiet(self, at, fixed):
        """Where a man goes without a capture and stays what it is."""
        man, reached = self.men[at], 0
        for square in chess.scan_forward(man.squares):
            if man.kind == chess.PAWN:
                for to in self.steps(at, square, fixed):
                    reached |= 1 << to if to is not None else 0
            else:
                reached |= sees(man, square, fixed)
        return reached & ~EDGE if man.kind == chess.PAWN else reached & ~fixed

    def legal(self, kings):
        """Those kings after whose side's move no fixed man attacks them."""
        anywhere, screens = 0, {}
        for man in self.men:
            anywhere |= man.squares
        for man in self.men:
            if man.fixed():
                at = chess.lsb(man.squares)
                for square in chess.scan_forward(sees(man, at, anywhere & ~man.squares)):
                    screens.setdefault((not man.colour, square), []).append(chess.between(at, square))
        kept = set()
        for mover, white, black in kings:
            king, other = (black, white) if mover else (white, black)
            if all(screen >> other & 1 for screen in screens.get((not mover, king), [])):
                kept.add((mover, white, black))
        return kept

    def kings_to(self, mover, to):
        """The kings after a king's move to one of these squares."""
        after = set()
        for entry in self.kings:
            if entry[0] != mover:
                continue
            king, other = (entry[1], entry[2]) if mover else (entry[2], entry[1])
            for square in chess.scan_forward(chess.BB_KING_ATTACKS[king] & to & ~chess.BB_KING_ATTACKS[other] & ~(1 << other)):
                after.add((not mover,) + ((square, other) if mover else (other, square)))
        return after

    def kings_beside(self, mover, taken):
        """The kings after another man's move; none on the square where it surely stands."""
        sure = taken if taken and taken & (taken - 1) == 0 else 0
        return {(not m, w, b) for m, w, b in self.kings if m == mover and not (1 << w | 1 << b) & sure}

    def with_kings(self, kings):
        pattern = Pattern(self.men, kings)
        pattern.kings = pattern.legal(kings)
        return pattern

    def squares_of_king(self, colour):
        places = 0
        for entry in self.kings:
            places |= 1 << entry[1 if colour else 2]
        return places

    def keeps(self, mover):
        """What comes of the king's moves, of other men's moves, and where these arrive."""
        fixed = self.fixed()
        by_king = self.with_kings(self.kings_to(mover, ALL & ~(fixed & ~self.squares_of_king(mover))))
        arrived = {at: self.quiet(at, fixed) & man.squares for at, man in enumerate(self.men) if man.colour == mover}
        arrived = {at: to for at, to in arrived.items() if to}
        by_man = self.with_kings(self.kings_beside(mover, 0) if arrived else set())
        return by_king, by_man, arrived

    def mates(self, loser, arrived, left, before):
        """Whether the loser, to move, may be mated."""
        fixed, posts, blocks = 0, {}, []
        for man in self.men:
            fixed |= man.squares if man.fixed() else 0
        for at, man in enumerate(self.men):
            if man.colour == loser:
                blocks.append(man.squares if man.fixed() else man.squares & ~fixed)
            else:
                posts[at] = [(s, sees(man, s, fixed)) for s in chess.scan_forward(man.squares)]
        everything = 0
        for seen in posts.values():
            for _, squares in seen:
                everything |= squares
        held = everything
        for squares in blocks:
            held |= squares
        for mover, white, black in self.kings:
            if mover != loser:
                continue
            x, king = (white, black) if loser else (black, white)
            beside, guarded = chess.BB_KING_ATTACKS[x], chess.BB_KING_ATTACKS[king]
            if not everything >> x & 1 or beside & ~(held | guarded):
                continue
            full, states = beside | 1 << x, {beside & guarded}
            for at, seen in posts.items():
                choices = set()
                for square, squares in seen:
                    if square in (x, king):
                        continue
                    got = 0
                    for to in chess.scan_forward(squares & full):
                        got |= 0 if chess.between(square, to) >> king & 1 else 1 << to
                    line = chess.between(square, x)
                    cause = arrived.get(at, 0) >> square & 1
                    cause = cause or any(man != at and squares & line for man, squares in left)
                    if before is not None and not cause:
                        for start in chess.scan_forward(chess.BB_KING_ATTACKS[king] & line):
                            cause = cause or (not loser,) + ((x, start) if loser else (start, x)) in before
                    choices.add(got if cause else got & ~(1 << x))
                states |= {state | got for state in states for got in choices}
            for squares in blocks:
                states |= {state | 1 << s for state in states for s in chess.scan_forward(squares & beside)}
            if full in states:
                return True
        return False

    def quiet_mate(self, loser):
        by_king, by_man, arrived = self.keeps(not loser)
        left = [(at, self.men[at].squares) for at in arrived]
        return by_king.mates(loser, {}, [], self.kings) or by_man.mates(loser, arrived, left, None)

    def without(self, at):
        return [man for n, man in enumerate(self.men) if n != at]

    def arrive(self, mover, at, source, taken, to, also_left):
        """What comes of a man's event on these squares: patterns, and their causes."""
        man, after = self.men[at], []
        last = chess.BB_RANK_8 if mover else chess.BB_RANK_1
        for kind in OFFICERS if man.kind == chess.PAWN and to & last else (man.kind,):
            men = list(self.men)
            men[at] = Man(mover, kind, to)
            index = at
            if taken is not None:
                del men[taken]
                index -= taken < at
            pattern = Pattern(men, self.kings).with_kings(self.kings_beside(mover, to))
            after.append((pattern, mover, {index: to}, [(index, source), (None, also_left)], None))
        return after

    def events(self):
        """All events: the pattern after each, who moved, and what the move's cause of check can be."""
        found = []
        for mover in (True, False):
            if any(entry[0] == mover for entry in self.kings):
                found += self.events_of(mover)
        return [event for event in found if event[0].kings]

    def events_of(self, mover):
        found, fixed = [], self.fixed()
        own = self.squares_of_king(mover)
        ours = [at for at, man in enumerate(self.men) if man.colour == mover]
        theirs = [at for at, man in enumerate(self.men) if man.colour != mover]
        for other in theirs:
            taken = self.men[other]
            to = taken.squares & ~(fixed & ~taken.squares & ~own)
            pattern = Pattern(self.without(other), self.kings).with_kings(self.kings_to(mover, to))
            found.append((pattern, mover, {}, [], self.kings))
        for at in ours:
            man = self.men[at]
            seen = [(s, sees(man, s, fixed)) for s in chess.scan_forward(man.squares)]
            for other in theirs:
                there = self.men[other].squares
                reached, to = there & ~(fixed & ~there), 0
                for _, squares in seen:
                    to |= squares & reached
                for part in [1 << s for s in chess.scan_forward(to)] if man.kind == chess.PAWN else [to] * bool(to):
                    source = sum(1 << s for s, squares in seen if squares & part)
                    found += self.arrive(mover, at, source, other, part, 0)
            if man.kind == chess.PAWN:
                for square in chess.scan_forward(man.squares):
                    one, two = self.steps(at, square, fixed)
                    for to in (one, two):
                        if to is not None and not man.squares >> to & 1:
                            found += self.arrive(mover, at, 1 << square, None, 1 << to, 0)
                    if two is not None:
                        found += self.passed(mover, at, square, one, two)
        return found

    def passed(self, mover, at, square, over, to):
        """A double step and the capture in passing that answers it."""
        men, found = list(self.men), []
        men[at] = Man(mover, chess.PAWN, 1 << to)
        stepped = Pattern(men, self.kings).with_kings(self.kings_beside(mover, 1 << to))
        for taker, man in enumerate(self.men):
            if man.colour != mover and man.kind == chess.PAWN:
                source = sum(1 << s for s in chess.scan_forward(man.squares) if sees(man, s, 0) >> over & 1)
                if source:
                    found += stepped.arrive(not mover, taker, source, at, 1 << over, 1 << square | 1 << to)
        return found

    def material(self):
        return tuple(sorted((man.colour, man.kind) for man in self.men))

    def within(self, other):
        """Whether the men can be matched, in order, and the kings are the other's."""
        if self.material() != other.material() or not self.kings <= other.kings:
            return False
        fits = lambda a, b: (a.colour, a.kind) == (b.colour, b.kind) and not a.squares & ~b.squares
        matched = {}

        def place(man, tried):
            for at, there in enumerate(other.men):
                if at not in tried and fits(self.men[man], there):
                    tried.add(at)
                    if at not in matched or place(matched[at], tried):
                        matched[at] = man
                        return True
            return False

        if not all(place(man, set()) for man in range(len(self.men))):
            return False
        pairs = [(w, b) for w in range(len(other.men)) for b in range(len(other.men)) if other.meets(w, b)]
        return all(self.meets(matched[w], matched[b]) for w, b in pairs)


def dead(men, loser):
    """Whether the men alone say that the loser is never mated."""
    theirs = [man for man in men if man.colour != loser]
    ours = [man for man in men if man.colour == loser]
    knight = [man.kind for man in theirs] == [chess.KNIGHT] and all(man.kind == chess.QUEEN for man in ours)
    return not theirs or knight or any(
        all(man.kind == chess.BISHOP and not man.squares & ~one for man in theirs)
        and all(man.kind in (chess.QUEEN, chess.ROOK) or man.kind == chess.BISHOP and not man.squares & ~one for man in ours)
        for one in (chess.BB_LIGHT_SQUARES, chess.BB_DARK_SQUARES)
    )


def pattern_of(board):
    """The pattern of one position; none with castling rights or a mark."""
    if board.castling_rights or board.has_legal_en_passant():
        return None
    men = men_of(board)
    return Pattern(men, {(board.turn, board.king(True), board.king(False))})


def men_of(board):
    pieces = sorted(board.piece_map().items())
    return [Man(piece.color, piece.piece_type, 1 << s) for s, piece in pieces if piece.piece_type != chess.KING]


def read_pattern(data, at, need):
    """A pattern, and where it ends."""
    count, at, men, kings = data[at], at + 1, [], set()
    need(count <= 30, "men of a pattern")
    for _ in range(count):
        code, at = data[at], at + 1
        if code < 128:
            need(data[at] < 64, "a square")
            squares, at = 1 << data[at], at + 1
        else:
            (squares,), at = struct.unpack_from("<Q", data, at), at + 8
            need(squares & (squares - 1), "two squares at least")
        code &= 127
        need(2 <= code <= 6 or 8 <= code <= 12, "code of a man")
        kind = KINDS[code if code < 7 else code - 6]
        need(kind != chess.PAWN or not squares & EDGE, "a pawn at the edge")
        men.append(Man(code < 7, kind, squares))
    for turn in (True, False):
        (whites,), at = struct.unpack_from("<Q", data, at), at + 8
        for white in chess.scan_forward(whites):
            (blacks,), at = struct.unpack_from("<Q", data, at), at + 8
            kings |= {(turn, white, black) for black in chess.scan_forward(blacks)}
    return Pattern(men, kings), at


def check_never(root, owner, listed, patterns, key, need):
    """No legal move leaves the set, and the owner is never mated in it."""
    names = {key(board) for board in listed}
    need(len(names) == len(listed), "a position twice")

    def covered(board):
        need(not (board.turn == owner and board.is_checkmate()), f"the owner is mated in {board.fen()}")
        if key(board) in names or dead(men_of(board), owner):
            return True
        here = pattern_of(board)
        return here is not None and any(here.within(pattern) for pattern in patterns)

    need(covered(root), "the root is not in the set")
    for board in listed:
        for move in list(board.legal_moves):
            board.push(move)
            need(covered(board), f"{board.fen()} is not in the set")
            board.pop()
    for pattern in patterns:
        fixed = pattern.fixed()
        for at, man in enumerate(pattern.men):
            need(man.kind == chess.PAWN or not pattern.quiet(at, fixed) & ~man.squares, "a man may leave its squares")
        for mover in (True, False):
            by_king, by_man, _ = pattern.keeps(mover)
            need(by_king.kings | by_man.kings <= pattern.kings, "the kings may come to stand otherwise")
        need(not pattern.quiet_mate(owner), "a mate is not excluded")
        for after, mover, arrived, left, before in pattern.events():
            if dead(after.men, owner):
                continue
            need(mover == owner or not after.mates(owner, arrived, left, before), "a mate after an event")
            need(any(after.within(other) for other in patterns), "an event leads out")
