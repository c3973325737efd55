"""Sections by slices of theta's certificates (docs/certificate.md), with python-chess's rules."""

import itertools
import struct

import chess

CODES = [None] + [chess.Piece(role, color) for color in (True, False) for role in (6, 5, 4, 3, 2, 1)]
PAWNS = (6, 12)


def packed(board):
    """Occupied squares, men and state, as the file has them."""
    men = 0
    for k, square in enumerate(chess.scan_forward(board.occupied)):
        men |= CODES.index(board.piece_at(square)) << 4 * k
    corners = [chess.BB_A1, chess.BB_H1, chess.BB_A8, chess.BB_H8]
    state = (not board.turn) | sum(bool(board.castling_rights & c) << 1 + k for k, c in enumerate(corners))
    if board.ep_square is not None:
        state |= chess.square_file(board.ep_square) + 1 << (9 if board.turn else 5)
    return board.occupied, men, state


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at
        if shift > 56:
            raise ValueError("a number")


def read(data, at, wins, read_position, need):
    """The positions with their ranks, in the order of the file, and where the section ends."""
    (count,), at, slices = struct.unpack_from("<I", data, at), at + 4, []
    for _ in range(count):
        board, at = read_position(data, at)
        (codes,) = struct.unpack_from("<Q", data, at)
        at += 8
        men = [codes >> shift & 15 for shift in range(0, 64, 4)]
        while men and men[-1] == 0:
            men.pop()
        own = 1 if board.turn else 7
        need(len(men) <= 10 and men == sorted(men), "men of a slice")
        need(all(1 <= man <= 12 and man not in PAWNS and man != own for man in men), "men of a slice")
        need(board.occupied == board.pawns, "pawns of a slice")
        order = (*packed(board), codes)
        need(not slices or slices[-1][0] < order, "slices rise")
        slices.append((order, board, men))
    listed, last = [], None
    while True:
        count, rank = struct.unpack_from("<II", data, at)
        at += 8
        if count == 0:
            need(rank == 0, "the end of the section")
            return listed, at
        need(rank % 2 == 0 and (last is None or wins and rank > last) and (wins or rank == 0), "ranks rise")
        last, before = rank, None
        number = row = 0
        for _ in range(count):
            further, at = varint(data, at)
            more, at = varint(data, at)
            number, row = number + further, more if further else row + more
            need(before is None or (number, row) > before, "rows rise")
            before = (number, row)
            squares, at = read_squares(data, at, need)
            need(number < len(slices) and row < 1 << 63, "number of a slice")
            _, board, men = slices[number]
            listed += [(rank, position(board, men, row, square, need)) for square in squares]


def read_squares(data, at, need):
    first, at = data[at], at + 1
    need(first < 72, "squares of a row")
    if first < 64:
        return [first], at
    if first == 64:
        (mask,) = struct.unpack_from("<Q", data, at)
        need(mask, "squares of a row")
        return list(chess.scan_forward(mask)), at + 8
    squares = list(data[at : at + first - 63])
    need(len(squares) == first - 63, "the file ends")
    need(all(a < b for a, b in zip(squares, squares[1:])) and squares[-1] < 64, "squares of a row")
    return squares, at + len(squares)


def position(pawns, men, row, square, need):
    """A slice with its men on the squares of a row, like men in the order of their squares."""
    places = [row >> 6 * k & 63 for k in range(len(men))]
    pairs = list(zip(men, places))
    need(row >> 6 * len(men) == 0 and pairs == sorted(pairs), "a row")
    board = pawns.copy()
    for man, place in pairs + [(1 if board.turn else 7, square)]:
        need(board.piece_at(place) is None, "two men on a square")
        board.set_piece_at(place, CODES[man])
    return board


def home(board, owner, images):
    """The image that stands for all of them."""
    if board.castling_rights:
        return packed(board)
    corner = lambda b: divmod(b.king(owner), 8)
    if board.pawns:
        fits = lambda b: corner(b)[1] < 4
    else:
        fits = lambda b: corner(b)[0] <= corner(b)[1] < 4
    return min((b.occupied_co[owner], packed(b)) for b in images(board) if fits(b))[1]


def answered(board, holds):
    """Whether a move leads to a position of which this is true."""
    for move in board.legal_moves:
        board.push(move)
        found = holds(board)
        board.pop()
        if found:
            return True
    return False


def replies(board, holds, stalemate, need):
    """Every reply is answered, or in a hold leaves the owner without a move; whether there is one."""
    some = False
    for reply in list(board.legal_moves):
        board.push(reply)
        settled = answered(board, holds) or stalemate and board.is_stalemate()
        need(settled, f"no answer in {board.fen()}")
        board.pop()
        some = True
    return some


def check(listed, root, owner, wins, legal, safe, images, need):
    """Plies from the root at most (of a hold 0); how many positions there are."""
    most = chess.popcount(root.occupied)
    for _, board in listed:
        need(legal(board) and board.turn != owner and chess.popcount(board.occupied) <= most, "a position")
    if not wins:
        known = {packed(board) for _, board in listed}
        need(len(known) == len(listed), "a position stands there twice")
        need(all(home(board, owner, images) == packed(board) for _, board in listed), "a position is not at home")
        holds = lambda b: safe(b, owner) or home(b, owner, images) in known
        for _, board in listed:
            replies(board, holds, True, need)
        if not safe(root, owner):
            if root.turn == owner:
                need(root.is_stalemate() or answered(root, holds), "the root is not answered")
            else:
                replies(root, holds, True, need)
        return 0, len(listed)
    ranks, needed = {}, None
    for _, block in itertools.groupby(listed, lambda entry: entry[0]):
        block = list(block)
        for rank, board in block:
            if rank == 0:
                need(board.is_checkmate(), f"no mate in {board.fen()}")
            else:
                need(replies(board, lambda b: packed(b) in ranks, False, need), f"no reply in {board.fen()}")
        for rank, board in block:
            need(packed(board) not in ranks, "a position stands there twice")
            ranks[packed(board)] = rank
    if root.turn == owner:
        found = []
        for move in list(root.legal_moves):
            root.push(move)
            found.append(ranks.get(packed(root)))
            root.pop()
        found = [rank + 1 for rank in found if rank is not None]
        needed = min(found, default=None)
    else:
        needed = ranks.get(packed(root))
    need(needed is not None, "the root is not answered")
    return needed, len(listed)
