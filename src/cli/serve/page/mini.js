// A small board: men only, nothing to click.

import { h, s } from './dom.js';
import { FILES, inWords, menOf } from './fen.js';

/** A picture of the position; `marks` names squares to shade, by class; `arrows` are drawn. */
export function miniBoard(fen, { flipped = false, marks = new Map(), arrows = [], label } = {}) {
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
  if (arrows.length) board.append(drawn(arrows, flipped));
  return h('div', { class: 'mini cg-wrap' }, board);
}

/** Arrows from square to square, each with a dot where it ends. */
function drawn(arrows, flipped) {
  const centre = (square) => {
    const file = FILES.indexOf(square[0]);
    const rank = Number(square[1]) - 1;
    return flipped ? [7.5 - file, rank + 0.5] : [file + 0.5, 7.5 - rank];
  };
  const one = ({ orig, dest, brush }) => {
    const [[x1, y1], [x2, y2]] = [centre(orig), centre(dest)];
    return s('g', { class: `arrow ${brush}` }, s('line', { x1, y1, x2, y2 }),
      s('circle', { cx: x2, cy: y2, r: 0.17 }));
  };
  return s('svg', { viewBox: '0 0 8 8', 'aria-hidden': 'true' }, arrows.map(one));
}

/** On a narrow page the board is out of sight while one reads a part: a small one, only there. */
export function nearBoard(fen, flipped, more = {}) {
  const board = miniBoard(fen, { flipped, ...more });
  board.classList.add('near-board');
  return board;
}
