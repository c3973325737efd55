// What the page is about: a position, the moves that led to it, and what is drawn on the board.
// Parts listen to `position` (another position is shown), `info` (the server told its legal
// moves), `view` (something else is shown on the board for a while), `drawing` and `flip`.

import * as api from './api.js';

/** What a page without an address shows: Saavedra's study. */
const FIRST = '8/8/1KP5/3r4/8/8/8/k7 w - -';

const listeners = new Map();

export function listen(name, what) {
  listeners.set(name, [...(listeners.get(name) || []), what]);
}

function tell(name) {
  for (const what of listeners.get(name) || []) what();
}

export const state = {
  root: FIRST,
  /** `{ uci, san, fen }`: the moves from the root; those after `at` were taken back. */
  line: [],
  at: 0,
  /** What the server says of the position shown; null until it has answered. */
  info: null,
  /** What is wrong with it, in words. */
  fault: null,
  flipped: false,
  /** `{ fen, last, label, moves, play, check }`: a look at another position, of a walk say. */
  view: null,
  /** `{ shapes, squares }` to draw over the board. */
  drawing: null,
  tab: 'strategy',
};

export const fenNow = () => (state.at > 0 ? state.line[state.at - 1].fen : state.root);
export const lastMove = () => (state.at > 0 ? state.line[state.at - 1].uci : null);

// The address -----------------------------------------------------------------------------------

const packed = (fen) => fen.trim().replace(/\s+/g, '_');

export function link() {
  const parts = [`fen=${packed(state.root)}`];
  if (state.line.length) {
    parts.push(`moves=${state.line.map((move) => move.uci).join('.')}`);
    if (state.at !== state.line.length) parts.push(`at=${state.at}`);
  }
  if (state.flipped) parts.push('flip=1');
  if (state.tab !== 'strategy') parts.push(`tab=${state.tab}`);
  return `#${parts.join('&')}`;
}

export function saveLink() {
  if (location.hash !== link()) history.replaceState(null, '', link());
}

/** The fields of the address; nothing in it is believed. */
export function readLink() {
  const fields = {};
  for (const part of location.hash.slice(1).split('&')) {
    const cut = part.indexOf('=');
    if (cut < 1) continue;
    try {
      fields[part.slice(0, cut)] = decodeURIComponent(part.slice(cut + 1));
    } catch {
      // A broken escape: the field is left out.
    }
  }
  return fields;
}

// Changes ---------------------------------------------------------------------------------------

let asking = null;

/** Asks the server what the position shown is. */
async function inquire() {
  if (asking) asking.abort();
  asking = new AbortController();
  const mine = asking;
  state.info = null;
  state.fault = null;
  try {
    const info = await api.position(fenNow(), mine.signal);
    if (asking !== mine) return;
    state.info = info;
  } catch (error) {
    if (asking !== mine || error.name === 'AbortError') return;
    state.fault = error.message;
  }
  tell('info');
}

function changed() {
  state.view = null;
  state.drawing = null;
  saveLink();
  tell('position');
  return inquire();
}

/** Another position altogether. */
export function setPosition(fen, line = [], at = line.length) {
  state.root = fen.trim().replace(/\s+/g, ' ');
  state.line = line;
  state.at = at;
  return changed();
}

/** Plays a legal move: `{ uci, san, fen }`. */
export function play(move) {
  const next = state.line[state.at];
  if (!next || next.uci !== move.uci) {
    const { uci, san, fen } = move;
    state.line = [...state.line.slice(0, state.at), { uci, san, fen }];
  }
  state.at += 1;
  return changed();
}

export function goTo(at) {
  const to = Math.max(0, Math.min(at, state.line.length));
  if (to === state.at && !state.view) return;
  state.at = to;
  changed();
}

export function flip(value = !state.flipped) {
  state.flipped = value;
  saveLink();
  tell('flip');
}

/** Shows something else on the board, or with null the position again. */
export function setView(view) {
  state.view = view;
  tell('view');
}

export function setDrawing(drawing) {
  state.drawing = drawing;
  tell('drawing');
}

export function setTab(tab) {
  state.tab = tab;
  saveLink();
  tell('tab');
}

/** Plays the moves of an address, as far as they are legal. */
export async function resume() {
  const fields = readLink();
  state.flipped = fields.flip === '1';
  if (fields.tab) state.tab = fields.tab;
  const root = (fields.fen || FIRST).replace(/_/g, ' ').slice(0, 512);
  const line = [];
  let fen = root;
  for (const uci of (fields.moves || '').split('.').filter(Boolean).slice(0, 600)) {
    try {
      const info = await api.position(fen);
      const move = info.moves.find((m) => m.uci === uci);
      if (!move) break;
      line.push({ uci, san: move.san, fen: move.fen });
      fen = move.fen;
    } catch {
      break;
    }
  }
  const at = fields.at === undefined ? line.length : Number(fields.at) || 0;
  await setPosition(root, line, Math.min(Math.max(at, 0), line.length));
}
