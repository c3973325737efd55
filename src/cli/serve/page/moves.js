// Every legal move with its proved value, best first; those that are open are tried again for
// longer while one waits.

import { Job } from './api.js';
import { button, byId, h, put, unseen } from './dom.js';
import { movesOf, other, plural, spoken, turnOf } from './fen.js';
import { fenNow, listen, play, setDrawing, state } from './state.js';

const ROUNDS = [5, 20, 60];
const GROUPS = [
  ['win', 'Winning', 'wins'], ['draw', 'Drawing', 'draws'],
  ['open', 'Not yet proved', 'not yet proved'], ['loss', 'Losing', 'loses'],
];

let job = null;
let rows = new Map();
let round = 0;
let status;
let list;
let again;

const category = (row, turn) => (!row || row.value === null || row.value === undefined ? 'open'
  : row.value === 'draw' ? 'draw' : row.value === turn ? 'win' : 'loss');

/** The distance in words, seen from the side that moves. */
export function distance(row, turn) {
  if (!row) return '';
  const kind = category(row, turn);
  const plies = row.mate_plies ?? row.mate_plies_at_most;
  const most = row.mate_plies === null ? '≤ ' : '';
  if (kind === 'win' && plies === 0) return 'mate';
  if (kind === 'win' && plies !== null && plies !== undefined) {
    return `mate in ${most}${movesOf(plies + 1)}`;
  }
  if (kind === 'loss' && plies !== null && plies !== undefined) {
    return `mated in ${most}${movesOf(plies)}`;
  }
  if (kind === 'open' && row.no_mate_plies) {
    return `no mate in ${movesOf(row.no_mate_plies + 1)}`;
  }
  return '';
}

// Best first: wins by the shortest mate, then draws, open ones, losses by the longest.
function ordered(moves, turn) {
  const rank = { win: 0, draw: 1, open: 2, loss: 3 };
  const plies = (row) => (row ? row.mate_plies ?? row.mate_plies_at_most ?? 9999 : 9999);
  return moves.map((move) => ({ move, row: rows.get(move.uci) })).map((entry) => ({
    ...entry, kind: category(entry.row, turn),
  })).sort((a, b) => rank[a.kind] - rank[b.kind]
    || (a.kind === 'loss' ? plies(b.row) - plies(a.row) : plies(a.row) - plies(b.row))
    || (a.move.san < b.move.san ? -1 : 1));
}

function moveButton({ move, row, kind }, turn) {
  const far = distance(row, turn);
  const words = GROUPS.find(([name]) => name === kind)[2];
  const hint = row && row.refuted_by ? `Not that soon: ${row.refuted_by}` : '';
  const b = button('', {
    class: `move ${kind}`, 'data-uci': move.uci, title: hint || undefined,
    // What is seen comes first, so that who speaks to the page can say what stands there.
    'aria-label': `${move.san}${far ? ` ${far}` : ''}: ${words}, ${spoken(move.san)}`,
    onclick: () => play(move),
    onpointerenter: () => point(move.uci), onpointerleave: () => point(null),
    onfocus: () => point(move.uci), onblur: () => point(null),
  });
  b.append(h('span', { class: 'san' }, move.san), ' ', h('span', { class: 'far' }, far));
  return b;
}

// The move under the pointer, as an arrow; not where another part draws.
let pointed = null;
function point(uci) {
  if (state.view || (state.drawing && state.drawing !== pointed)) return;
  pointed = uci ? {
    shapes: [{ orig: uci.slice(0, 2), dest: uci.slice(2, 4), brush: 'green' }], squares: new Map(),
  } : null;
  setDrawing(pointed);
}

function show() {
  const { info } = state;
  if (!info) {
    put(list);
    return;
  }
  const turn = turnOf(info.fen);
  const focused = document.activeElement && document.activeElement.dataset.uci;
  const entries = ordered(info.moves, turn);
  put(list, GROUPS.map(([kind, title]) => {
    const some = entries.filter((entry) => entry.kind === kind);
    if (some.length === 0) return null;
    return h('section', { class: `group ${kind}` },
      h('h3', {}, title, ' ', h('small', {}, String(some.length))),
      h('ul', {}, some.map((entry) => h('li', {}, moveButton(entry, turn)))));
  }));
  if (focused) {
    const same = list.querySelector(`[data-uci="${CSS.escape(focused)}"]`);
    if (same) same.focus();
  }
}

function say() {
  const { info } = state;
  if (!info) return;
  const count = info.moves.length;
  const known = info.moves.filter((m) => category(rows.get(m.uci), 'white') !== 'open').length;
  again.hidden = Boolean(job) || known === count;
  if (count === 0) {
    status.textContent = info.checkmate ? 'None: it is mate.' : 'None: it is stalemate.';
  } else if (known === count) {
    status.textContent = `${plural(count, 'move')}, every value proved`;
  } else {
    status.textContent = `${known} of ${plural(count, 'value')} proved${
      job ? round === 0 ? ' …' : ', looking longer …' : ''}`;
  }
}

function start() {
  const fen = fenNow();
  const time = ROUNDS[Math.min(round, ROUNDS.length - 1)];
  let pending = 0;
  // Many values may come at once: one drawing for all of them.
  const soon = () => {
    if (pending) return;
    pending = requestAnimationFrame(() => {
      pending = 0;
      show();
      say();
    });
  };
  const take = (row) => {
    const before = rows.get(row.uci);
    const better = !before || before.value === null || row.value !== null;
    if (better) rows.set(row.uci, row);
  };
  job = new Job('moves', { fen, time }, {
    move: (row) => { take(row); soon(); },
    result: (r) => { r.moves.forEach(take); soon(); },
    error: (text) => { status.textContent = text; },
    end: (how) => {
      job = null;
      show();
      if (how === 'failed') {
        again.hidden = false;
        return;
      }
      const open = state.info && state.info.moves.some(
        (m) => category(rows.get(m.uci), other('white')) === 'open');
      if (open && how === 'done' && round + 1 < ROUNDS.length && !document.hidden) {
        round += 1;
        start();
      }
      say();
    },
  });
  say();
}

function follow() {
  if (job) job.drop();
  job = null;
  rows = new Map();
  round = 0;
  show();
  if (!state.info) {
    status.textContent = '';
    again.hidden = true;
    return;
  }
  if (state.info.moves.length) start();
  say();
}

export function buildMoves() {
  status = h('p', { class: 'soft', role: 'status' });
  list = h('div', { class: 'move-list' });
  again = button('Look longer', { hidden: true, class: 'small', onclick: () => {
    round = ROUNDS.length - 1;
    start();
  } });
  put(byId('moves'), h('div', { class: 'head' }, h('h2', { id: 'moves-title' }, 'Moves',
    unseen(' and what each is proved to lead to')), status, again), list);
  listen('info', follow);
}
