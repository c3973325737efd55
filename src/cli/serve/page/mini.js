// A small board: men only, nothing to click.

import { h } from './dom.js';
import { FILES, inWords, menOf } from './fen.js';

/** A picture of the position; `marks` names squares to shade, by class. */
export function miniBoard(fen, { flipped = false, marks = new Map(), label } = {}) {
  const board = h('div', { class: 'mini-board', role: 'img', 'aria-label': label || inWords(fen) });
  const place = (element, square) => {
    const file = FILES.indexOf(square[0]);
    const rank = Number(square[1]) - 1;
    const [x, y] = flipped ? [7 - file, rank] : [file, 7 - rank];
    element.style.transform = `translate(${x * 100}%, ${y * 100}%)`;
    board.append(element);
  };
  for (const [square, name] of marks) place(h('square', { class: name }), square);
  for (const [square, man] of menOf(fen)) {
    place(h('piece', { class: `${man.color} ${man.role}` }), square);
  }
  return h('div', { class: 'mini cg-wrap' }, board);
}

/** On a narrow page the board is out of sight while one reads a part: a small one, only there. */
export function nearBoard(fen, flipped) {
  const board = miniBoard(fen, { flipped });
  board.classList.add('near-board');
  return board;
}
