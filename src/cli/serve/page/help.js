// The two dialogs: positions to begin with, and the keys.

import { button, byId, h, put } from './dom.js';
import { miniBoard } from './mini.js';
import { START } from './fen.js';
import { setPosition } from './state.js';

const EXAMPLES = [
  ['7K/8/k1P5/7p/8/8/8/8 w - -', 'Réti’s study', 'the king does two things at once'],
  ['8/8/1KP5/3r4/8/8/8/k7 w - -', 'Saavedra’s study', 'only a rook wins'],
  ['8/3k4/3p4/p2P1p2/P2P1P2/8/8/K7 w - -', 'Lasker and Reichhelm', 'corresponding squares'],
  ['kbK5/pp6/1P6/8/8/8/8/R7 w - -', 'Morphy’s problem', 'mate in two'],
  ['4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -', 'A wall', 'neither side gets through'],
  ['8/8/8/8/8/1k6/7R/K7 b - -', 'Rook and king', 'mate from far away'],
  ['4k3/7R/r7/3PK3/8/8/8/8 b - -', 'Philidor’s rook ending', 'a draw if one knows how'],
  [START, 'The first position', 'open, and it will stay so'],
];

function open(title, ...inside) {
  const dialog = byId('dialog');
  put(dialog, h('div', { class: 'head' }, h('h2', { id: 'dialog-title' }, title),
    button('×', { class: 'small', onclick: () => dialog.close() }, 'Close')), inside);
  dialog.showModal();
}

export function openExamples() {
  const list = EXAMPLES.map(([fen, name, words]) => {
    const b = button('', { class: 'example', onclick: () => {
      byId('dialog').close();
      setPosition(fen);
    } });
    b.append(miniBoard(fen), h('span', {}, h('b', {}, name), h('small', {}, words)));
    return h('li', {}, b);
  });
  open('Positions to begin with', h('ul', { class: 'examples' }, list));
}

const KEYS = [
  ['m', 'type a move: Kc4, e8=Q, b3c4; Enter plays it'],
  ['b', 'go to the board: arrows move from square to square, Enter takes a man up and puts it '
    + 'down'],
  ['← →', 'take a move back, play it again'],
  ['Home End', 'to the start, to the last move'],
  ['f', 'turn the board'],
  ['e', 'edit the position; on the board K Q R B N P put White’s men, k q r b n p Black’s, Delete '
    + 'takes one off'],
  ['Tab', 'to every other part; the parts’ names are tabs, by arrow keys'],
  ['in a tree', '→ unfolds, ← folds, ↑ ↓ go, Enter shows the position'],
];

export function openHelp() {
  open('Keys', h('dl', { class: 'keys' }, KEYS.map(([key, words]) =>
    [h('dt', {}, key.split(' ').map((k) => h('kbd', {}, k))), h('dd', {}, words)])),
  h('p', { class: 'soft' }, 'Drop a game, a certificate or a position anywhere on the page, or '
    + 'paste it. Lines drawn with the right mouse button stay on the board until the position '
    + 'changes.'));
}
