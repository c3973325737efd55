// The board as an editor: a palette of men, whose turn it is, castling, en passant, FEN by hand.

import { button, byId, h, put } from './dom.js';
import { START, capital, manOf, menOf, placement, turnOf } from './fen.js';
import { fenNow, listen, setPosition, setView, state } from './state.js';

let open = false;
let hand = 'P';
let fields = null;
let palette = null;
let draft = null;

export const editing = () => open;

const HOME = { K: ['e1', 'h1'], Q: ['e1', 'a1'], k: ['e8', 'h8'], q: ['e8', 'a8'] };

/** Whether king and rook stand where the right to castle wants them. */
function homes(men, right) {
  const color = right === right.toUpperCase() ? 'white' : 'black';
  const is = (square, role) => {
    const man = men.get(square);
    return man && man.role === role && man.color === color;
  };
  return is(HOME[right][0], 'king') && is(HOME[right][1], 'rook');
}

/** The squares that a pawn may have passed over with the last move. */
function passed(men, turn) {
  const [from, over, on] = turn === 'white' ? ['7', '6', '5'] : ['2', '3', '4'];
  return [...'abcdefgh'].filter((file) => {
    const man = men.get(file + on);
    return man && man.role === 'pawn' && man.color !== turn
      && !men.has(file + over) && !men.has(file + from);
  }).map((file) => file + over);
}

function draftFen() {
  const rights = [...'KQkq'].filter((right) => draft.rights.has(right) && homes(draft.men, right));
  const passing = passed(draft.men, draft.turn).includes(draft.passing) ? draft.passing : '-';
  const turn = draft.turn === 'white' ? 'w' : 'b';
  return `${placement(draft.men)} ${turn} ${rights.join('') || '-'} ${passing}`;
}

/** Shows the draft on the board; the position itself changes only when it is used. */
function show() {
  setView({ fen: draftFen(), label: 'Editing' });
  refresh();
}

function refresh() {
  const men = draft.men;
  for (const right of 'KQkq') {
    const box = fields[right];
    box.disabled = !homes(men, right);
    box.checked = !box.disabled && draft.rights.has(right);
  }
  fields.white.checked = draft.turn === 'white';
  fields.black.checked = draft.turn === 'black';
  const squares = passed(men, draft.turn);
  put(fields.passing, h('option', { value: '-' }, 'none'),
    squares.map((square) => h('option', { value: square }, square)));
  fields.passing.value = squares.includes(draft.passing) ? draft.passing : '-';
  fields.passing.disabled = squares.length === 0;
  for (const tool of palette.querySelectorAll('[data-hand]')) {
    tool.setAttribute('aria-pressed', String(tool.dataset.hand === hand));
  }
}

export function editorClick(square) {
  const man = draft.men.get(square);
  if (hand === '') draft.men.delete(square);
  else {
    const next = manOf(hand);
    const same = man && man.role === next.role && man.color === next.color;
    if (same) draft.men.delete(square);
    else {
      if (next.role === 'king') {
        for (const [other, m] of draft.men) {
          if (m.role === 'king' && m.color === next.color) draft.men.delete(other);
        }
      }
      draft.men.set(square, next);
    }
  }
  show();
}

/** A letter puts that man on the square, Delete takes it off. Whether the key meant something. */
export function editorKey(key, square) {
  if (key === 'Delete' || key === 'Backspace') draft.men.delete(square);
  else if (/^[KQRBNPkqrbnp]$/.test(key)) draft.men.set(square, manOf(key));
  else return false;
  show();
  return true;
}

function startDraft(fen) {
  const [, , rights = '-', passing = '-'] = fen.trim().split(/\s+/);
  draft = { men: menOf(fen), turn: turnOf(fen), rights: new Set(rights), passing };
}

export function edit(on) {
  if (open === on) return;
  open = on;
  byId('editor').hidden = !on;
  byId('edit').setAttribute('aria-pressed', String(on));
  document.body.classList.toggle('editing', on);
  if (on) {
    startDraft(state.view ? state.view.fen : fenNow());
    show();
  } else {
    draft = null;
    setView(null);
  }
}

function use() {
  const fen = draftFen();
  edit(false);
  setPosition(fen);
}

function buildPalette() {
  const tool = (letter) => {
    const man = manOf(letter);
    return button('', {
      class: 'man cg-wrap', 'data-hand': letter,
      onclick: () => { hand = letter; refresh(); },
    }, `${capital(man.color)} ${man.role}`);
  };
  const rows = ['KQRBNP', 'kqrbnp'].map((letters) =>
    h('div', { class: 'palette-row' }, [...letters].map(tool)));
  const wipe = button('⌫', {
    class: 'man', 'data-hand': '', onclick: () => { hand = ''; refresh(); },
  }, 'Take men off');
  palette = h('div', { class: 'palette', role: 'group', 'aria-label': 'Men to put on the board' },
    rows, wipe);
  for (const b of palette.querySelectorAll('.man.cg-wrap')) {
    const man = manOf(b.dataset.hand);
    b.append(h('piece', { class: `${man.color} ${man.role}` }));
  }
  return palette;
}

function buildFields() {
  const radio = (color) => h('input', {
    type: 'radio', name: 'turn', onchange: () => { draft.turn = color; show(); },
  });
  const right = (letter) => h('input', {
    type: 'checkbox',
    onchange: (event) => {
      if (event.target.checked) draft.rights.add(letter);
      else draft.rights.delete(letter);
      show();
    },
  });
  fields = {
    white: radio('white'), black: radio('black'),
    K: right('K'), Q: right('Q'), k: right('k'), q: right('q'),
    passing: h('select', {
      'aria-label': 'En passant',
      onchange: (event) => { draft.passing = event.target.value; show(); },
    }),
  };
  const label = (field, text) => h('label', {}, field, ` ${text}`);
  return h('div', { class: 'editor-fields' },
    h('fieldset', {}, h('legend', {}, 'To move'),
      label(fields.white, 'White'), label(fields.black, 'Black')),
    h('fieldset', {}, h('legend', {}, 'White may castle'),
      label(fields.K, 'short'), label(fields.Q, 'long')),
    h('fieldset', {}, h('legend', {}, 'Black may castle'),
      label(fields.k, 'short'), label(fields.q, 'long')),
    h('fieldset', {}, h('legend', {}, 'En passant'), h('label', {}, fields.passing)));
}

function buildFen() {
  const field = h('input', {
    id: 'fen', type: 'text', spellcheck: 'false', autocomplete: 'off', 'aria-label': 'FEN',
  });
  const set = () => {
    const text = field.value.trim();
    if (!text) return;
    if (open) edit(false);
    setPosition(text.slice(0, 512));
  };
  const form = h('form', { class: 'fen-form' }, h('label', { for: 'fen' }, 'FEN'), field,
    button('Set', { type: 'submit' }, 'Set the position of this FEN'));
  form.addEventListener('submit', (event) => { event.preventDefault(); set(); });
  // What is pasted is meant to be used at once.
  field.addEventListener('paste', () => setTimeout(set, 0));
  const follow = () => {
    if (document.activeElement !== field || field.value === '') {
      field.value = state.view ? state.view.fen : fenNow();
    }
  };
  listen('position', () => { field.value = fenNow(); });
  listen('info', () => { if (state.info) field.value = state.info.fen; });
  listen('view', follow);
  return form;
}

export function buildEditor() {
  byId('editor').append(buildPalette(), buildFields(), h('div', { class: 'row' },
    button('Use this position', { class: 'main', onclick: use }),
    button('Empty board', { onclick: () => { draft.men.clear(); show(); } }),
    button('First position', { onclick: () => { startDraft(START); show(); } }),
    button('Leave as it was', { onclick: () => edit(false) })));
  byId('board-foot').append(buildFen());
  listen('position', () => { if (open) edit(false); });
}
