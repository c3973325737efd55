// Why: the smallest readable proof with the rules that end its lines, and the aims worth trying
// with their trajectories and zones drawn on the board.

import { button, h, put } from './dom.js';
import { capital, menOf, plural, squareName, turnOf, moveNumber } from './fen.js';
import { fenNow, listen, setDrawing, setView, state } from './state.js';
import { Task } from './task.js';
import { foldingTree } from './tree.js';
import { nearBoard } from './mini.js';

const PARTS = {
  stem: ['green', 'the way to the aim'],
  support: ['blue', 'what helps it'],
  negation: ['red', 'what can stop it in time'],
  retreat: ['yellow', 'where the target may go'],
  linked: ['purple', 'a zone linked to another'],
};

let aims = null;
let chosen = null;
let length = 14;
let opened = null;
const hiddenParts = new Set();
const ui = {};

// Aims and zones --------------------------------------------------------------------------------

/** Arrows along the trajectories, shades on the squares that have to be controlled. */
function drawingOf(aim) {
  const shapes = [];
  const squares = new Map();
  const seen = new Set();
  for (const path of aim.paths) {
    if (path.moves > length || hiddenParts.has(path.part)) continue;
    const [brush] = PARTS[path.part] || ['grey'];
    // Where the target may go is shaded; arrows for that would bury the others.
    for (let k = 0; path.part !== 'retreat' && k + 1 < path.alphas.length; k++) {
      const [orig, dest] = [squareName(path.alphas[k]), squareName(path.alphas[k + 1])];
      const key = `${orig}${dest}${brush}`;
      if (!seen.has(key)) shapes.push({ orig, dest, brush });
      seen.add(key);
    }
    for (const beta of path.betas) squares.set(squareName(beta), 'zone beta');
    const end = squareName(path.alphas[path.alphas.length - 1]);
    if (path.part === 'stem') squares.set(end, 'zone target');
    else if (!squares.has(end)) squares.set(end, `zone ${path.part}`);
  }
  return { shapes: shapes.slice(0, 80), squares };
}

function showAim() {
  if (!chosen) {
    setDrawing(null);
    return;
  }
  const drawing = drawingOf(chosen);
  setDrawing(drawing);
  put(ui.near, nearBoard(fenNow(), state.flipped, {
    marks: drawing.squares, arrows: drawing.shapes,
  }));
  const paths = chosen.paths.filter((p) => p.moves <= length && !hiddenParts.has(p.part));
  put(ui.words,
    h('p', { class: 'claim' }, chosen.claim, '.'),
    chosen.line.length ? h('p', {}, 'A line: ', h('span', { class: 'moves-text' },
      numbered(chosen.line)), '.') : null,
    h('p', { class: 'soft' }, 'As a formula: ', h('code', {}, chosen.aim)),
    h('ul', { class: 'paths', tabindex: '0' }, paths.map((path) => h('li', { class: path.part },
      h('span', { class: `dot ${path.part}`, 'aria-hidden': 'true' }), capital(path.words)))));
  for (const b of ui.list.querySelectorAll('button')) {
    b.setAttribute('aria-pressed', String(Number(b.dataset.aim) === aims.subgoals.indexOf(chosen)));
  }
}

function numbered(line) {
  let ply = turnOf(fenNow()) === 'black' ? 1 : 0;
  return line.map((san, k) => `${moveNumber(ply++, k === 0)}${san === '--' ? '–' : san}`).join(' ');
}

function choose(aim) {
  chosen = aim;
  const longest = Math.max(1, ...aim.paths.map((p) => p.moves));
  ui.length.max = String(longest);
  length = longest;
  ui.length.value = String(longest);
  ui.lengthWords.textContent = plural(longest, 'move');
  ui.detail.hidden = false;
  put(ui.legend, Object.entries(PARTS).filter(([part]) => aim.paths.some((p) => p.part === part))
    .map(([part, [, meaning]]) => {
      const count = aim.paths.filter((p) => p.part === part).length;
      const box = h('input', { type: 'checkbox', checked: !hiddenParts.has(part) });
      box.addEventListener('change', () => {
        if (box.checked) hiddenParts.delete(part);
        else hiddenParts.add(part);
        showAim();
      });
      return h('label', {}, box, h('span', { class: `dot ${part}`, 'aria-hidden': 'true' }),
        `${capital(meaning)} (${count})`);
    }), aim.paths.some((p) => p.betas.length > 0) ? h('span', { class: 'key' },
    h('span', { class: 'dot beta', 'aria-hidden': 'true' }), 'Passed over: may be blocked') : null);
  showAim();
}

function showAims(answer) {
  aims = answer;
  const men = menOf(answer.fen).size;
  put(ui.list, answer.subgoals.map((aim, k) => h('li', {}, button('', {
    'data-aim': k, 'aria-pressed': 'false', onclick: () => choose(aim),
  }))));
  [...ui.list.querySelectorAll('button')].forEach((b, k) => {
    const aim = answer.subgoals[k];
    b.append(h('b', {}, aim.claim), h('small', {}, numbered(aim.line)));
  });
  const side = capital(answer.side);
  put(ui.remarks,
    answer.subgoals.length === 0
      ? h('p', {}, `${side} has no aim within ${plural(answer.horizon / 2, 'move')}${
        men > 4 ? ': try a longer horizon.' : '.'}`)
      : h('p', { class: 'soft' }, `${side}’s aims within ${plural(answer.horizon / 2, 'move')
      }, those that look best first. They are ideas; the verdict is the proof.`),
    answer.threats.length
      ? h('p', {}, 'What the other side threatens: ', answer.threats.join('; '), '.') : null,
    answer.remarks.map((text) => h('p', { class: 'soft' }, text)));
  // With another horizon the aim that was looked at stays, where there is still one like it.
  const same = chosen && answer.subgoals.find((aim) => aim.claim === chosen.claim);
  chosen = null;
  ui.detail.hidden = true;
  if (answer.subgoals.length) choose(same || answer.subgoals[0]);
  else showAim();
}

function askAims() {
  ui.aims.run('subgoals', { fen: fenNow(), horizon: Number(ui.horizon.value) }, {
    result: showAims,
    error: () => { put(ui.list); },
  });
}

// The readable proof ----------------------------------------------------------------------------

/** Why a line of the tree ends. */
function leafWords(leaf) {
  if (typeof leaf === 'string') {
    return { mate: 'mate', stalemate: 'stalemate', bare_king: 'a bare king' }[leaf] || leaf;
  }
  if (leaf.rule) {
    return `rule ${leaf.rule.name}${leaf.rule.mirrored ? ', colours exchanged' : ''}`;
  }
  if (leaf.table) {
    const plies = leaf.table.plies;
    return `table ${leaf.table.material}${plies ? `: mate in ${Math.ceil(plies / 2)}` : ''}`;
  }
  const [name] = Object.keys(leaf);
  return name || '';
}

function explainedTree(tree) {
  const owner = tree.white ? 'white' : 'black';
  const at = (to) => tree.nodes[to];
  const first = turnOf(tree.nodes[0].fen) === 'black' ? 1 : 0;
  // An entry is a reply together with the owner's answer, as composers write it.
  const entry = (reply, ply) => {
    let node = reply ? at(reply.to) : tree.nodes[0];
    let own = null;
    const before = node;
    if (node.own) {
      own = node.own;
      node = at(own.to);
    }
    return { reply, own, node, ply, before };
  };
  const root = entry(null, first);
  const number = (ply, begins) => h('span', { class: 'number' }, moveNumber(ply, begins));
  const { element, open } = foldingTree('The smallest readable proof', [root], {
    label: (e) => {
      const parts = [];
      if (e.reply) parts.push(number(e.ply, true), e.reply.san, ' ');
      const ply = e.reply ? e.ply + 1 : e.ply;
      if (e.own) parts.push(number(ply, !e.reply), h('b', {}, e.own.san));
      if (!e.reply && !e.own) parts.push(`${capital(owner)}’s proof`);
      if (e.node.leaf) parts.push(h('span', { class: 'soft' }, ` — ${leafWords(e.node.leaf)}`));
      return parts;
    },
    leaf: (e) => !e.node.replies || e.node.replies.length === 0,
    children: async (e) => {
      const ply = e.ply + (e.reply ? 1 : 0) + (e.own ? 1 : 0);
      return e.node.replies.map((reply) => entry(reply, ply));
    },
    show: (e) => setView({
      fen: e.node.fen, last: e.own ? e.own.move : e.reply && e.reply.move,
      label: e.node.leaf ? `Ends here: ${leafWords(e.node.leaf)}` : 'A position of the proof',
    }),
  });
  open(0);
  const goal = tree.wins ? 'wins' : 'holds';
  return [h('p', {}, h('b', {}, `${capital(owner)} ${goal}: `),
    `${plural(tree.moves, 'move')}, ${plural(tree.leaves, 'end of a line', 'ends of lines')}.`),
  element];
}

function showProof(answer) {
  const rules = answer.rules || [];
  put(ui.proof,
    answer.kind === 'tree' ? answer.trees.map(explainedTree)
      : answer.kind === 'none'
        ? h('p', { class: 'soft' }, capital(answer.why || 'No proof is known.'))
      : h('pre', { class: 'text', tabindex: '0' }, answer.text || ''));
  put(ui.rules, rules.length ? [h('h4', {}, 'What ended its lines'),
    h('ul', { class: 'rules', tabindex: '0' },
      rules.map((rule) => h('li', {}, h('b', {}, capital(rule.name)),
        rule.says ? `: ${rule.says}` : '', ' ',
        h('small', {}, plural(rule.lines, 'line')))))] : null);
}

function askProof() {
  put(ui.proof);
  put(ui.rules);
  ui.explain.run('explain', { fen: fenNow(), time: 60 }, {
    result: showProof,
    error: () => { put(ui.proof); },
  });
}

// The part --------------------------------------------------------------------------------------

function follow() {
  const here = state.tab === 'why' && state.info && !state.fault;
  if (!here) {
    if (state.tab !== 'why' && chosen) setDrawing(null);
    return;
  }
  if (opened === state.info.fen) {
    if (chosen) showAim();
    return;
  }
  opened = state.info.fen;
  if (state.info.moves.length === 0) {
    put(ui.remarks, h('p', {}, 'The game is over.'));
    put(ui.list);
    put(ui.proof);
    ui.detail.hidden = true;
    return;
  }
  askAims();
  askProof();
}

export function buildWhy(panel) {
  ui.aims = new Task('Looking for aims');
  ui.explain = new Task('Looking for the smallest proof');
  ui.list = h('ol', { class: 'aims' });
  ui.remarks = h('div', {});
  ui.words = h('div', { class: 'why-words', 'aria-live': 'polite' });
  ui.legend = h('div', { class: 'legend', role: 'group', 'aria-label': 'What is drawn' });
  ui.near = h('div', { class: 'near' });
  ui.lengthWords = h('b', {});
  ui.length = h('input', { type: 'range', min: '1', max: '7', step: '1' });
  ui.length.addEventListener('input', () => {
    length = Number(ui.length.value);
    ui.lengthWords.textContent = plural(length, 'move');
    showAim();
  });
  const horizonWords = h('b', {}, '3 moves');
  ui.horizon = h('input', { type: 'range', min: '2', max: '14', step: '2', value: '6' });
  ui.horizon.addEventListener('input', () => {
    horizonWords.textContent = plural(Number(ui.horizon.value) / 2, 'move');
  });
  ui.horizon.addEventListener('change', () => { if (state.info) askAims(); });
  ui.proof = h('div', { class: 'proof-tree' });
  ui.rules = h('div', {});
  ui.detail = h('div', { class: 'detail', hidden: true }, ui.near,
    h('label', { class: 'slider' }, 'Trajectories of up to ', ui.lengthWords, ui.length),
    ui.legend, ui.words);
  put(panel, h('h2', {}, 'Why?'),
    h('div', { class: 'columns' },
      h('div', {}, h('h3', {}, 'Aims, trajectories, zones'),
        h('label', { class: 'slider' }, 'Look ahead ', horizonWords, ui.horizon),
        ui.aims.element, ui.remarks, ui.list, ui.detail),
      h('div', {}, h('h3', {}, 'The smallest readable proof'), ui.explain.element, ui.proof,
        ui.rules)));
  listen('position', () => {
    opened = null;
    chosen = null;
    ui.aims.drop();
    ui.explain.drop();
    put(ui.list);
    put(ui.remarks);
    put(ui.proof);
    put(ui.rules);
    ui.detail.hidden = true;
  });
  listen('info', follow);
  listen('tab', follow);
}
