// The verdict as it comes: what is being done, what is proved, in words first and formula second.

import { Job } from './api.js';
import { button, byId, h, put } from './dom.js';
import { capital, movesOf, plural, turnOf } from './fen.js';
import { fenNow, listen, state } from './state.js';
import { bytes, seconds, stopWords } from './words.js';

const FORMULA = {
  theta1: ['Θ1', 'is satisfiable: White has a strategy that mates whatever Black does.'],
  'theta2+theta4': ['Θ2* = Θ4*', 'is satisfiable: each side has a strategy that is never mated.'],
  theta3: ['Θ3', 'is satisfiable: Black has a strategy that mates whatever White does.'],
  unknown: ['Θ1, Θ2*, Θ3', '— exactly one of them is satisfiable; which one is not decided.'],
};

const ENGINES = {
  graph: 'listing the whole game', tables: 'endgame tables', search: 'proof search',
  slices: 'slices of the pawn ending', subgoals: 'chains of aims', tableau: 'a CTL tableau',
  auto: 'a race of engines',
};

let job = null;
let result = null;
let started = 0;
let ticking = 0;
let time = 20;
const parts = {};
const listeners = [];

/** The job whose certificate can be walked, with the answer; null until there is one. */
export const proved = () => (job && result && job.certificate ? { job, result } : null);

/** Calls `what` when a verdict has come, and when it has gone. */
export const onVerdict = (what) => listeners.push(what);
const tell = () => listeners.forEach((what) => what());

/** The verdict in one sentence for people. */
export function headline(r) {
  if (r.verdict === 'unknown') {
    const [holder] = r.bounds || [];
    if (!holder) return 'Not decided within the limits';
    return `${capital(holder.split(' ')[0])} holds: it draws or wins`;
  }
  if (state.info && state.info.stalemate) return 'Stalemate: a draw';
  if (r.value === 'draw') return 'A draw: both sides can hold for ever';
  const winner = capital(r.value);
  const plies = r.mate_plies ?? r.mate_plies_at_most;
  if (plies === 0) return `Checkmate: ${winner} has won`;
  if (plies === null || plies === undefined) return `${winner} wins`;
  return `${winner} wins: mate in ${r.mate_plies === null ? 'at most ' : ''}`
    + plural(movesOf(plies), 'move');
}

const bound = (text) => (text === 'white holds' ? 'White can hold for ever: it is never mated'
  : text === 'black holds' ? 'Black can hold for ever: it is never mated' : text);

function facts(r) {
  const list = [];
  if (r.best_san && r.best_san.length) {
    const kept = r.best_complete ? (r.best_san.length > 1 ? 'The best moves' : 'The best move')
      : 'A move that is proved';
    list.push(`${kept}: ${r.best_san.join(', ')}.`);
  }
  for (const text of (r.bounds || []).slice(1)) list.push(`Proved: ${bound(text)}.`);
  if (r.secured) {
    list.push(`Proved: ${r.secured.claim}, within ${plural(r.secured.plies, 'ply', 'plies')}.`);
  }
  if (r.guess_san) list.push(`Only a guess, nothing proved: ${r.guess_san} looks best.`);
  for (const text of r.chain || []) list.push(text);
  for (const text of r.relies_on || []) list.push(`Relies on ${text}.`);
  if (r.stop) list.push(`Stopped: ${stopWords(r.stop)}.`);
  return list;
}

// While it runs ---------------------------------------------------------------------------------

function tick() {
  const spent = (performance.now() - started) / 1000;
  parts.clock.textContent = `${spent.toFixed(spent < 10 ? 1 : 0)} s`;
}

function progress(data) {
  const amount = data.done === null || data.done === undefined ? '' : data.total
    ? `${data.done.toLocaleString('en')} of ${data.total.toLocaleString('en')}`
    : data.done.toLocaleString('en');
  parts.stage.textContent = [data.stage, amount].filter(Boolean).join(' · ') || 'Thinking';
  if (data.total) parts.bar.value = Math.min(1, data.done / data.total);
  else parts.bar.removeAttribute('value');
  if (typeof data.seconds === 'number') started = performance.now() - data.seconds * 1000;
  tick();
}

function running(on) {
  clearInterval(ticking);
  parts.running.hidden = !on;
  byId('verdict').classList.toggle('busy', on);
  if (on) {
    started = performance.now();
    parts.bar.removeAttribute('value');
    parts.stage.textContent = 'Thinking';
    parts.stop.disabled = false;
    tick();
    ticking = setInterval(tick, 200);
  }
}

// What is shown ---------------------------------------------------------------------------------

function clear(words) {
  parts.title.textContent = words;
  byId('verdict').dataset.value = 'open';
  put(parts.badge);
  put(parts.formula);
  put(parts.facts);
  put(parts.numbers);
  put(parts.certificate);
  parts.more.hidden = true;
}

/** The formula that is decided, and what that means. */
function formulaOf(r) {
  if (r.verdict !== 'unknown' || !r.bounds || r.bounds.length === 0) {
    return FORMULA[r.verdict] || FORMULA.unknown;
  }
  const white = r.bounds[0].startsWith('white');
  const side = white ? 'White' : 'Black';
  return [white ? 'Hold2' : 'Hold4', `is satisfiable: ${side} has a strategy that is never mated. `
    + `Whether ${white ? 'Θ1' : 'Θ3'} or Θ2* is satisfiable is not decided.`];
}

/** The kings of those who need not fear: the winner's, or both. */
function kings(value) {
  const colors = { white: ['white'], black: ['black'], draw: ['white', 'black'] }[value] || [];
  return colors.map((color) => h('span', { class: 'badge cg-wrap', 'aria-hidden': 'true' },
    h('piece', { class: `${color} king` })));
}

function show(r) {
  parts.title.textContent = headline(r);
  const [holder = ''] = r.value ? [] : r.bounds || [];
  put(parts.badge, kings(r.value || holder.split(' ')[0]));
  byId('verdict').dataset.value = r.value || 'unknown';
  const [name, meaning] = formulaOf(r);
  put(parts.formula, h('span', { class: 'math' }, name), ` ${meaning}`);
  put(parts.facts, facts(r).map((text) => h('li', {}, text)));
  const engine = ENGINES[r.engine] || r.engine;
  put(parts.numbers, r.verdict === 'unknown' ? 'Tried last: ' : 'Decided by ', h('b', {}, engine),
    ` · ${plural(r.positions, 'position')} · ${seconds(r.seconds)}`);
  parts.more.hidden = r.verdict !== 'unknown';
}

/** The row of a certificate: the file, and what the kernel said of it. */
export function certificateRow(c) {
  if (!c.url) return c.why ? [h('p', { class: 'soft' }, `No certificate: ${c.why}`)] : [];
  const link = h('a', { href: c.url.replace(/^\//, ''), download: 'theta.cert', class: 'button' },
    `Certificate, ${bytes(c.bytes)}`);
  const v = c.verify;
  if (!v) return [link];
  const line = v.accepted
    ? ['Checked by the kernel: accepted', `${capital(v.claim)} · ${
      plural(v.positions, 'position')} · ${seconds(v.seconds)}`]
    : ['The kernel does not accept it', v.reason || ''];
  return [link, h('p', { class: v.accepted ? 'checked' : 'fault' },
    h('b', {}, v.accepted ? '✓ ' : '✗ ', line[0]), h('br'), h('small', {}, line[1]))];
}

// The work --------------------------------------------------------------------------------------

function stopped() {
  if (job) job.drop();
  job = null;
  result = null;
  running(false);
}

function solve() {
  stopped();
  clear('Thinking …');
  let soFar = [];
  tell();
  running(true);
  const mine = new Job('solve', { fen: fenNow(), time }, {
    queued: ({ ahead }) => {
      parts.stage.textContent = ahead > 0
        ? `Waiting: ${plural(ahead, 'question')} before this one` : 'Waiting for a free place';
    },
    started: () => { started = performance.now(); },
    progress,
    note: ({ text }) => { parts.stage.textContent = text; },
    proved: ({ text }) => {
      // What is said of the same side with the same verb is stronger than what was said before.
      const about = (fact) => fact.split(' ', 2).join(' ');
      soFar = [...soFar.filter((fact) => about(fact) !== about(text)), text];
      parts.title.textContent = 'Thinking … proved so far:';
      put(parts.facts, soFar.map((fact) => h('li', {}, `${fact}.`)));
    },
    result: (r) => {
      result = r;
      show(r);
    },
    certificate: (c) => {
      mine.certificate = c.url ? c : null;
      put(parts.certificate, certificateRow(c));
      parts.more.hidden = Boolean(c.url && result && result.value);
      tell();
    },
    error: (text) => {
      clear('No verdict');
      put(parts.facts, h('li', { class: 'fault' }, text));
      parts.more.hidden = false;
    },
    end: () => {
      running(false);
      tell();
    },
  });
  job = mine;
}

function follow() {
  stopped();
  tell();
  const { info } = state;
  if (state.fault) {
    clear('Not a position');
    put(parts.facts, h('li', { class: 'fault' }, state.fault));
    return;
  }
  const turn = capital(turnOf(info.fen));
  if (info.checkmate || info.stalemate) {
    // The value is known without a proof; the formula is decided all the same.
    parts.title.textContent = info.checkmate ? `${turn} is mated` : 'Stalemate';
  }
  solve();
}

export function buildVerdict() {
  Object.assign(parts, {
    title: h('h2', { id: 'verdict-title', tabindex: '-1' }, 'theta'),
    badge: h('div', { class: 'badges' }),
    formula: h('p', { class: 'formula' }),
    facts: h('ul', { class: 'facts' }),
    numbers: h('p', { class: 'numbers' }),
    certificate: h('div', { class: 'certificate' }),
    stage: h('span', { class: 'stage' }),
    clock: h('span', { class: 'clock' }),
    bar: h('progress', { max: '1', 'aria-label': 'Progress' }),
    stop: button('Stop', { id: 'stop', onclick: () => {
      parts.stop.disabled = true;
      parts.stage.textContent = 'Stopping';
      job.stop();
    } }),
  });
  parts.running = h('div', { class: 'running', hidden: true },
    parts.bar, h('div', { class: 'row' }, parts.stage, parts.clock, parts.stop));
  const length = h('select', { id: 'time', 'aria-label': 'Time to think' },
    [5, 20, 60].map((n) => h('option', { value: n, selected: n === 20 }, `${n} s`)));
  length.addEventListener('change', () => { time = Number(length.value); });
  parts.more = h('div', { class: 'row', hidden: true }, button('Think again', {
    id: 'again', class: 'main',
    onclick: () => {
      time = Number(length.value);
      solve();
    },
  }), h('label', {}, 'for up to ', length));
  put(byId('verdict'), parts.badge,
    h('div', { 'aria-live': 'polite', 'aria-atomic': 'true' },
      parts.title, parts.formula, parts.facts),
    parts.running, parts.numbers, parts.certificate, parts.more);
  listen('info', follow);
}
