// A game: its moves, the value that is proved of each position, and where that value changed.

import { post } from './api.js';
import { button, h, put } from './dom.js';
import { capital, movesOf, plural, spoken, turnOf } from './fen.js';
import { looksLikePgn, splitGames } from './pgn.js';
import { fenNow, listen, setPosition, state } from './state.js';
import { Task } from './task.js';

const KEPT = 'theta.game';
/** Titles that the list of games shows at once. */
const LISTED = 300;

const ui = {};
let text = '';
let games = [];
let game = null;
let values = new Map();

const worth = (r) => (!r ? 'waiting' : r.value === null ? 'unknown' : r.value);

function valueWords(r) {
  if (!r) return 'not yet decided';
  if (r.value === null) return 'not decided';
  if (r.value === 'draw') return 'a draw';
  const plies = r.mate_plies ?? r.mate_plies_at_most;
  return `${capital(r.value)} wins${plies > 0 ? `, mate in ${
    r.mate_plies === null ? 'at most ' : ''}${movesOf(plies)}` : ''}`;
}

// The list of moves -----------------------------------------------------------------------------

function goTo(ply) {
  const line = game.positions.slice(1).map((p) => ({ uci: p.uci, san: sanOf(p), fen: p.fen }));
  setPosition(game.positions[0].fen, line, ply);
}

const sanOf = (p) => (p.played || '').replace(/^\d+\.+\s*|^\d+…\s*/, '');

function numberOf(ply) {
  const first = game.positions[0].fen;
  const before = Number(first.split(' ')[5]) || 1;
  const k = ply - 1 + (turnOf(first) === 'black' ? 1 : 0);
  return k % 2 === 0 ? `${before + Math.floor(k / 2)}.`
    : ply === 1 ? `${before + Math.floor(k / 2)}…` : '';
}

/** The ply of this game that the board shows, or -1. */
function shownPly() {
  if (!game || state.root !== game.positions[0].fen || state.at >= game.positions.length) return -1;
  return game.positions[state.at].fen === fenNow() ? state.at : -1;
}

function renderMoves() {
  put(ui.moves, game.positions.map((p, ply) => {
    const b = button('', {
      class: 'game-move', 'data-ply': ply, onclick: () => goTo(ply),
    });
    b.append(h('span', { class: 'number' }, ply === 0 ? '' : numberOf(ply)),
      h('span', { class: 'san' }, ply === 0 ? 'Start' : sanOf(p)),
      h('span', { class: 'value' }));
    return h('li', {}, b);
  }));
  put(ui.ribbon, game.positions.map((p, ply) => h('span', { 'data-ply': ply })));
  game.positions.forEach((_, ply) => paint(ply));
  follow();
}

function paint(ply) {
  const r = values.get(ply);
  const kind = worth(r);
  const b = ui.moves.querySelector(`[data-ply="${ply}"]`);
  const bar = ui.ribbon.querySelector(`[data-ply="${ply}"]`);
  const changed = Boolean(r && r.changed);
  for (const element of [b, bar]) {
    element.dataset.value = kind;
    element.classList.toggle('changed', changed);
  }
  const words = valueWords(r);
  b.title = words;
  const san = sanOf(game.positions[ply]);
  const score = { white: '1–0', black: '0–1', draw: '½', unknown: '?' }[kind] || '';
  const name = ply === 0 ? `Start ${score}` : `${numberOf(ply)} ${san} ${score}, ${spoken(san)}`;
  b.setAttribute('aria-label', `${name}: ${words}${changed ? ', the value changed' : ''}`);
  b.querySelector('.value').textContent = score;
}

function follow() {
  if (!game) return;
  const at = shownPly();
  for (const b of ui.moves.querySelectorAll('button')) {
    const here = Number(b.dataset.ply) === at;
    if (here) b.setAttribute('aria-current', 'true');
    else b.removeAttribute('aria-current');
    if (here) {
      const list = ui.moves;
      const top = b.parentElement.offsetTop;
      if (top < list.scrollTop || top > list.scrollTop + list.clientHeight - 40) {
        list.scrollTop = top - list.clientHeight / 2;
      }
    }
  }
  for (const bar of ui.ribbon.children) {
    bar.classList.toggle('here', Number(bar.dataset.ply) === at);
  }
}

function renderChanges() {
  const changes = [...values.values()].filter((r) => r.changed).sort((a, b) => a.ply - b.ply);
  const proved = [...values.values()].filter((r) => r.value !== null).length;
  put(ui.changes, changes.length === 0 ? null : h('h4', {}, 'Where the proved value changed'),
    h('ul', {}, changes.map((r) => {
      const before = [...values.values()].filter((o) => o.ply < r.ply && o.value !== null)
        .sort((a, b) => b.ply - a.ply)[0];
      return h('li', {}, button(`${numberOf(r.ply) || `${numberOf(r.ply - 1)}..`} ${
        sanOf(game.positions[r.ply])}`, { class: 'small', onclick: () => goTo(r.ply) }),
      ` ${before ? `${valueWords(before)} → ` : ''}${valueWords(r)}`);
    })));
  ui.summary.textContent = `${proved} of ${plural(game.positions.length, 'position')} proved`
    + `${changes.length ? '' : '; the proved value never changed'}.`;
}

// Opening ---------------------------------------------------------------------------------------

function decide() {
  ui.task.run('game', { pgn: game.pgn, game: 1, time: Number(ui.time.value) }, {
    position: (r) => {
      if (r.ply >= game.positions.length) return;
      values.set(r.ply, r);
      paint(r.ply);
      renderChanges();
    },
    result: () => renderChanges(),
  });
}

async function openGame(k, move = true) {
  const { from, to } = games[k];
  const pgn = text.slice(from, to);
  ui.task.drop();
  values = new Map();
  put(ui.changes);
  ui.summary.textContent = '';
  ui.fault.textContent = '';
  try {
    const answer = await post('api/v1/pgn', { pgn, game: 1 });
    game = { ...answer, pgn };
  } catch (error) {
    game = null;
    ui.fault.textContent = error.message;
    ui.board.hidden = true;
    return;
  }
  try {
    sessionStorage.setItem(KEPT, pgn.length < 500_000 ? pgn : '');
  } catch {
    // Without room a reload forgets the game.
  }
  ui.board.hidden = false;
  ui.title.textContent = games[k].title;
  ui.fault.textContent = game.fault || '';
  renderMoves();
  if (move) goTo(0);
  decide();
}

function listGames() {
  const wanted = ui.filter.value.trim().toLowerCase();
  const fitting = games.map((entry, k) => ({ ...entry, k }))
    .filter((entry) => !wanted || entry.title.toLowerCase().includes(wanted));
  put(ui.list, fitting.slice(0, LISTED).map((entry) =>
    h('option', { value: entry.k }, `${entry.k + 1}. ${entry.title}`)));
  ui.found.textContent = fitting.length > LISTED
    ? `${LISTED} of ${plural(fitting.length, 'game')} are listed: type a name to find others.`
    : plural(fitting.length, 'game');
}

/** Opens the games of a text; the first is shown. */
export async function openPgn(content, move = true) {
  text = content;
  games = splitGames(content);
  ui.many.hidden = games.length < 2;
  ui.filter.value = '';
  if (games.length === 0) {
    ui.fault.textContent = 'There is no game in this text.';
    return;
  }
  listGames();
  await openGame(0, move);
}

export function buildGame(panel) {
  ui.task = new Task('Deciding each position');
  ui.fault = h('p', { class: 'fault', role: 'status' });
  ui.paste = h('textarea', {
    rows: '3', spellcheck: 'false', placeholder: '1. e4 e5 2. …', 'aria-label': 'Moves, PGN',
  });
  const file = h('input', { type: 'file', accept: '.pgn,text/plain', class: 'unseen', id: 'pgn' });
  file.addEventListener('change', async () => {
    if (file.files[0]) openPgn(await file.files[0].text());
    file.value = '';
  });
  ui.time = h('select', { 'aria-label': 'Time for each position' }, [1, 2, 5, 10].map((n) =>
    h('option', { value: n, selected: n === 2 }, `${n} s`)));
  ui.time.addEventListener('change', () => {
    if (game) {
      values = new Map();
      renderMoves();
      decide();
    }
  });
  ui.filter = h('input', { type: 'search', placeholder: 'a name', 'aria-label': 'Find a game' });
  ui.filter.addEventListener('input', listGames);
  ui.list = h('select', { size: '6', 'aria-label': 'Games' });
  ui.list.addEventListener('change', () => openGame(Number(ui.list.value)));
  ui.found = h('p', { class: 'soft', role: 'status' });
  ui.many = h('div', { class: 'many', hidden: true }, h('div', { class: 'row' },
    h('label', {}, 'Find ', ui.filter)), ui.list, ui.found);
  ui.title = h('h3', {});
  ui.summary = h('p', { class: 'soft', role: 'status' });
  ui.ribbon = h('div', { class: 'ribbon', 'aria-hidden': 'true' });
  ui.ribbon.addEventListener('click', (event) => {
    if (event.target.dataset.ply) goTo(Number(event.target.dataset.ply));
  });
  ui.moves = h('ol', { class: 'game-moves', 'aria-label': 'Moves of the game' });
  ui.changes = h('div', { class: 'changes' });
  ui.board = h('div', { hidden: true }, ui.title, ui.ribbon,
    h('p', { class: 'ribbon-key soft', 'aria-hidden': 'true' },
      ['white', 'draw', 'black', 'unknown'].map((value) => h('span', { 'data-value': value },
        { white: 'White wins', draw: 'draw', black: 'Black wins', unknown: 'open' }[value]))),
    ui.task.element, ui.summary, ui.changes, ui.moves,
    h('label', {}, 'For each position up to ', ui.time));
  put(panel, h('h2', {}, 'Game'),
    h('p', { class: 'soft' }, 'Drop a PGN file anywhere on this page, choose one, or paste moves.'),
    h('div', { class: 'paste' }, ui.paste, h('div', { class: 'row' },
      button('Open', {
        class: 'main', onclick: () => { if (ui.paste.value.trim()) openPgn(ui.paste.value); },
      }), file, h('label', { for: 'pgn', class: 'button' }, 'Choose a file'))),
    ui.fault, ui.many, ui.board);
  listen('position', follow);
  let kept = null;
  try {
    kept = sessionStorage.getItem(KEPT);
  } catch {
    // Storage is closed.
  }
  // After a reload the game goes on; the board is where the address says.
  if (kept && looksLikePgn(kept)) openPgn(kept, false);
}
