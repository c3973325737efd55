// The moves that were played on the board, to be clicked.

import { button, byId, h, put } from './dom.js';
import { moveNumber, spoken, turnOf } from './fen.js';
import { goTo, listen, state } from './state.js';

export function buildLine() {
  const line = h('p', { class: 'line played', 'aria-label': 'Moves played' });
  byId('board-foot').prepend(line);
  listen('position', () => {
    const first = turnOf(state.root) === 'black' ? 1 : 0;
    put(line, state.line.map((move, k) => [moveNumber(k + first, k === 0), button(move.san, {
      class: 'ply', 'aria-label': `${move.san}, ${spoken(move.san)}`,
      'aria-current': state.at === k + 1 ? 'true' : undefined, onclick: () => goTo(k + 1),
    }), ' ']));
    line.hidden = state.line.length === 0;
    const current = line.querySelector('[aria-current]');
    if (current && line.scrollHeight > line.clientHeight) {
      line.scrollTop = current.offsetTop - line.clientHeight / 2;
    }
  });
}
