// The board: chessground for the eye and the mouse, a grid of sixty-four names for keys and screen
// readers, and the line under it.

import { button, byId, h, put } from './dom.js';
import { FILES, capital, inWords, menOf, spoken, turnOf } from './fen.js';
import {
  fenNow, goTo, lastMove, listen, play, setPosition, setView, state,
} from './state.js';
import { editing, editorClick, editorKey } from './editor.js';

let board = null;
let selected = null;
let cursor = 'e1';
const cells = new Map();
let said;
let banner;
let chooser;

const still = matchMedia('(prefers-reduced-motion: reduce)').matches;

// What the board shows --------------------------------------------------------------------------

/** Position, last move and possible moves: of the view if there is one, else of the state. */
function shown() {
  const { view, info } = state;
  if (view) {
    return {
      fen: view.fen, last: view.last || null, moves: view.moves || [], play: view.play,
      check: Boolean(view.check), free: false,
    };
  }
  return {
    fen: fenNow(), last: lastMove(), moves: info ? info.moves : [], play,
    check: Boolean(info && info.check), free: false,
  };
}

function destinations(moves) {
  const dests = new Map();
  for (const { uci } of moves) {
    const from = uci.slice(0, 2);
    const to = uci.slice(2, 4);
    if (!(dests.get(from) || []).includes(to)) dests.set(from, [...(dests.get(from) || []), to]);
  }
  return dests;
}

export function draw() {
  const { fen, last, moves, check } = shown();
  const turn = turnOf(fen);
  const drawing = state.drawing || { shapes: [], squares: new Map() };
  const free = editing();
  board.set({
    fen: fen.split(' ')[0],
    orientation: state.flipped ? 'black' : 'white',
    turnColor: turn,
    lastMove: last && !free ? [last.slice(0, 2), last.slice(2, 4)] : undefined,
    check: check && !free ? turn : false,
    highlight: { custom: drawing.squares || new Map() },
    movable: {
      free: false, color: free ? undefined : turn, dests: free ? new Map() : destinations(moves),
    },
    draggable: { enabled: !free },
    selectable: { enabled: !free },
  });
  board.setAutoShapes(free ? [] : drawing.shapes);
  select(null);
  nameSquares();
  const { view } = state;
  banner.hidden = !view || free;
  if (view) {
    put(banner, h('span', {}, view.label || 'Another position'),
      button('Back to the position', { class: 'small', onclick: () => setView(null) }),
      button('Use this one', { class: 'small', onclick: () => setPosition(view.fen) }));
  }
}

/** Draws arrows and shades only, where the position stays. */
function drawMarks() {
  const drawing = state.drawing || { shapes: [], squares: new Map() };
  board.set({ highlight: { custom: drawing.squares || new Map() } });
  board.setAutoShapes(drawing.shapes);
}

// Moves -----------------------------------------------------------------------------------------

/** A man was moved from one square to another, in whatever way. */
function moved(from, to) {
  const { moves, play: act } = shown();
  const fitting = moves.filter((m) => m.uci.startsWith(from + to));
  if (fitting.length === 0) {
    draw();
    return;
  }
  if (fitting.length === 1) act(fitting[0]);
  else choosePromotion(fitting, act);
}

function choosePromotion(moves, act) {
  const roles = { q: 'queen', r: 'rook', b: 'bishop', n: 'knight' };
  const color = turnOf(shown().fen);
  const close = () => {
    chooser.hidden = true;
    draw();
  };
  put(chooser, h('p', {}, 'Promote to'), moves.map((move) => {
    const role = roles[move.uci[4]];
    return button('', {
      class: 'man cg-wrap', onclick: () => { chooser.hidden = true; act(move); },
    }, capital(role));
  }), button('×', { onclick: close, class: 'small' }, 'Not this move'));
  [...chooser.querySelectorAll('.man')].forEach((b, k) =>
    b.append(h('piece', { class: `${color} ${roles[moves[k].uci[4]]}` })));
  chooser.hidden = false;
  chooser.onkeydown = (event) => event.key === 'Escape' && close();
  chooser.querySelector('.man').focus();
}

// Keys on the board -----------------------------------------------------------------------------

function nameSquares() {
  const { fen, moves } = shown();
  const men = menOf(fen);
  const targets = selected
    ? moves.filter((m) => m.uci.startsWith(selected)).map((m) => m.uci.slice(2, 4)) : [];
  for (const [square, cell] of cells) {
    const man = men.get(square);
    const words = [square, man ? `${man.color} ${man.role}` : 'empty'];
    if (square === selected) words.push('selected');
    if (targets.includes(square)) words.push('can be moved to');
    cell.setAttribute('aria-label', words.join(', '));
    cell.classList.toggle('chosen', square === selected);
    cell.classList.toggle('target', targets.includes(square));
  }
  said.textContent = inWords(fen);
}

function select(square) {
  selected = square;
}

/** Enter on a square: takes a man up, or puts it down there. */
function press(square) {
  if (editing()) {
    editorClick(square);
    return;
  }
  const { moves } = shown();
  if (selected && moves.some((m) => m.uci.startsWith(selected + square))) {
    moved(selected, square);
    return;
  }
  select(selected !== square && moves.some((m) => m.uci.startsWith(square)) ? square : null);
  if (selected) board.selectSquare(selected);
  else board.cancelMove();
  nameSquares();
}

function focusSquare(square) {
  cells.get(cursor).tabIndex = -1;
  cursor = square;
  cells.get(cursor).tabIndex = 0;
  cells.get(cursor).focus();
}

function gridKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const steps = {
    ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0],
  };
  const step = steps[event.key];
  if (step) {
    const turn = state.flipped ? -1 : 1;
    const file = FILES.indexOf(cursor[0]) + step[0] * turn;
    const rank = Number(cursor[1]) + step[1] * turn;
    if (file >= 0 && file < 8 && rank >= 1 && rank <= 8) focusSquare(FILES[file] + rank);
  } else if (event.key === 'Enter' || event.key === ' ') press(cursor);
  else if (event.key === 'Escape' && selected) {
    select(null);
    board.cancelMove();
    nameSquares();
  } else if (!editing() || !editorKey(event.key, cursor)) return;
  event.preventDefault();
  event.stopPropagation();
}

function buildGrid() {
  const grid = h('div', { class: 'squares', role: 'grid', 'aria-label': 'Board, by arrow keys' });
  grid.addEventListener('keydown', gridKey);
  for (let row = 0; row < 8; row++) {
    grid.append(h('div', { role: 'row' }, Array.from({ length: 8 }, (_, column) =>
      h('div', { role: 'gridcell', tabindex: '-1', 'data-at': `${row}${column}` }))));
  }
  return grid;
}

/** The grid follows the board's orientation: its cells get the names of the squares they cover. */
function orient() {
  cells.clear();
  for (const cell of document.querySelectorAll('.squares [role=gridcell]')) {
    const [row, column] = cell.dataset.at.split('').map(Number);
    const square = state.flipped
      ? FILES[7 - column] + (row + 1) : FILES[column] + (8 - row);
    cells.set(square, cell);
    cell.dataset.square = square;
    cell.tabIndex = square === cursor ? 0 : -1;
  }
}

// The line of moves and typing ------------------------------------------------------------------

const plain = (san) => san.replace(/[+#x=!?–-]/g, '').replace(/0/g, 'O').replace(/\s|e\.p\./g, '');

/** The legal moves that a typed text can mean. */
export function typed(text, moves) {
  const word = text.trim();
  const exact = moves.filter((m) => m.san === word || m.uci === word.toLowerCase()
    || m.san.replace(/[+#]/g, '') === word.replace(/[+#!?]/g, ''));
  if (exact.length) return exact;
  const loose = plain(word);
  const same = moves.filter((m) => plain(m.san) === loose);
  if (same.length) return same;
  return moves.filter((m) => plain(m.san).toLowerCase() === loose.toLowerCase());
}

function moveField() {
  const answer = h('span', { class: 'fault', role: 'status' });
  const field = h('input', {
    id: 'move-field', type: 'text', placeholder: 'Kc4, e8=Q, b3c4 …', autocomplete: 'off',
    autocapitalize: 'off', spellcheck: 'false', maxlength: '12', 'aria-label': 'Type a move',
  });
  const form = h('form', { class: 'move-form' }, field, button('Play', { type: 'submit' }), answer);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const { moves, play: act } = shown();
    const found = typed(field.value, moves);
    if (found.length === 1) {
      answer.textContent = '';
      field.value = '';
      act(found[0]);
    } else if (field.value.trim()) {
      answer.textContent = found.length
        ? `Which: ${found.map((m) => m.san).join(', ')}?` : `${field.value} is not legal here.`;
    }
  });
  field.addEventListener('input', () => { answer.textContent = ''; });
  return form;
}

/** Says what happened to whoever does not see the board. */
export function announceMove(move) {
  said.textContent = `${spoken(move.san)}. ${inWords(move.fen)}`;
}

export function buildBoard() {
  const frame = byId('board-frame');
  const host = h('div', { id: 'board', 'aria-hidden': 'true' });
  said = h('p', { class: 'unseen', id: 'board-words' });
  banner = h('div', { class: 'banner', hidden: true });
  chooser = h('div', { class: 'chooser', role: 'dialog', 'aria-label': 'Promotion', hidden: true });
  frame.append(host, buildGrid(), chooser, said);
  frame.after(banner);
  byId('board-foot').before(moveField());
  board = Chessboard.Chessground(host, {
    animation: { enabled: !still, duration: 180 },
    premovable: { enabled: false },
    drawable: { enabled: true, visible: true, eraseOnMovablePieceClick: true, brushes: brushes() },
    movable: { free: false, showDests: true, events: { after: moved } },
    events: { select: (square) => editing() && editorClick(square) },
    coordinates: true,
  });
  // In the editor a click on an empty square counts as well, which chessground does not report.
  host.addEventListener('pointerdown', (event) => {
    if (!editing() || event.button === 2) return;
    const box = host.getBoundingClientRect();
    let file = Math.floor(((event.clientX - box.left) / box.width) * 8);
    let rank = 7 - Math.floor(((event.clientY - box.top) / box.height) * 8);
    if (state.flipped) [file, rank] = [7 - file, 7 - rank];
    if (file >= 0 && file < 8 && rank >= 0 && rank < 8) editorClick(FILES[file] + (rank + 1));
    event.preventDefault();
    event.stopPropagation();
  }, true);
  orient();
  listen('position', draw);
  listen('info', draw);
  listen('view', draw);
  listen('drawing', drawMarks);
  listen('flip', () => { orient(); draw(); });
  document.addEventListener('keydown', pageKey);
  new ResizeObserver(() => board.redrawAll()).observe(host);
}

function brushes() {
  const brush = (key, color, opacity = 0.9, lineWidth = 7) => ({ key, color, opacity, lineWidth });
  return {
    green: brush('g', '#2c8a5b'), red: brush('r', '#b8412f'), blue: brush('b', '#2f6fb0'),
    yellow: brush('y', '#c98a12'), grey: brush('e', '#77736a', 0.6, 6),
    purple: brush('p', '#7a4fa3'),
  };
}

/** Keys that act wherever one is, except where one types. */
function pageKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest('input, textarea, select, dialog, [role=grid], [role=tree]')) return;
  const acts = {
    ArrowLeft: () => goTo(state.at - 1),
    ArrowRight: () => goTo(state.at + 1),
    Home: () => goTo(0),
    End: () => goTo(state.line.length),
    f: () => byId('flip').click(),
    m: () => byId('move-field').focus(),
    b: () => cells.get(cursor).focus(),
    e: () => byId('edit').click(),
  };
  if (!acts[event.key]) return;
  if (event.target.closest('[role=tablist]') && event.key.startsWith('Arrow')) return;
  acts[event.key]();
  event.preventDefault();
}
