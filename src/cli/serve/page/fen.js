// Positions as text: FEN to men on squares and back, and in words.

export const NAMES = {
  k: 'king', q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn',
};
const LETTERS = Object.fromEntries(Object.entries(NAMES).map(([letter, name]) => [name, letter]));
export const FILES = 'abcdefgh';
export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -';

export const other = (side) => (side === 'white' ? 'black' : 'white');
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
/** The letter of FEN for a man. */
export const letterOf = (man) =>
  (man.color === 'white' ? LETTERS[man.role].toUpperCase() : LETTERS[man.role]);
/** The name of the man's picture, such as `wK`. */
export const pictureOf = (man) => man.color[0] + LETTERS[man.role].toUpperCase();
export const manOf = (letter) => ({
  role: NAMES[letter.toLowerCase()], color: letter === letter.toLowerCase() ? 'black' : 'white',
});

/** The name of square 0 … 63, a1 first. */
export const squareName = (k) => FILES[k % 8] + (Math.floor(k / 8) + 1);

/** The men of a FEN by square; what cannot be read is left out. */
export function menOf(fen) {
  const men = new Map();
  fen.trim().split(/\s+/)[0].split('/').slice(0, 8).forEach((row, down) => {
    let file = 0;
    for (const c of row) {
      if (c >= '1' && c <= '8') file += Number(c);
      else {
        if (NAMES[c.toLowerCase()] && file < 8) men.set(FILES[file] + (8 - down), manOf(c));
        file += 1;
      }
    }
  });
  return men;
}

export const turnOf = (fen) => (fen.trim().split(/\s+/)[1] === 'b' ? 'black' : 'white');

/** The first field of the FEN of these men. */
export function placement(men) {
  const rows = [];
  for (let rank = 8; rank >= 1; rank--) {
    let row = '';
    let empty = 0;
    for (const file of FILES) {
      const man = men.get(file + rank);
      if (!man) empty += 1;
      else {
        row += (empty || '') + letterOf(man);
        empty = 0;
      }
    }
    rows.push(row + (empty || ''));
  }
  return rows.join('/');
}

/** The position as a screen reader says it. */
export function inWords(fen) {
  const order = Object.values(NAMES);
  const side = (color) => {
    const men = [...menOf(fen)].filter(([, man]) => man.color === color);
    men.sort((a, b) =>
      order.indexOf(a[1].role) - order.indexOf(b[1].role) || (a[0] < b[0] ? -1 : 1));
    return `${capital(color)}: ${men.map(([sq, man]) => `${man.role} ${sq}`).join(', ')}.`;
  };
  return `${side('white')} ${side('black')} ${capital(turnOf(fen))} to move.`;
}

/** A move in algebraic notation, in words. */
export function spoken(san) {
  if (san.startsWith('O-O-O')) return `castles long${spoken(san.slice(5))}`;
  if (san.startsWith('O-O')) return `castles short${spoken(san.slice(3))}`;
  const words = {
    K: 'king ', Q: 'queen ', R: 'rook ', B: 'bishop ', N: 'knight ',
    x: ' takes ', '=': ' promotes to ', '+': ', check', '#': ', mate',
  };
  return [...san].map((c) => words[c] || c).join('').replace(/ {2,}/g, ' ').trim();
}

export const plural = (n, word, words = `${word}s`) =>
  `${n.toLocaleString('en')} ${n === 1 ? word : words}`;

/** Plies to mate as people say it: moves of the winner. */
export const movesOf = (plies) => Math.ceil(plies / 2);

/** The number before a move: `3.` or, where a line begins with Black's, `3…`. */
export function moveNumber(ply, first) {
  const k = Math.floor(ply / 2) + 1;
  return ply % 2 === 0 ? `${k}. ` : first ? `${k}… ` : '';
}
