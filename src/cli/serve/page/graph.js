// Draws a model: states in layers by their distance from the root, steps as arrows; the subformulas
// that are true in a state stand beside the graph when one points at it or goes to it by key.

import { h, put, s } from './dom.js';
import { plural } from './fen.js';

/** More states than these are said and not drawn. */
const DRAWN = 60;
const [WIDE, HIGH, RADIUS] = [132, 104, 26];

/** Layers of a breadth-first search from the root, each ordered by where its parents stand. */
function layers(model) {
  const depth = new Map([[model.root, 0]]);
  const queue = [model.root];
  const parents = new Map();
  for (let k = 0; k < queue.length; k++) {
    for (const to of model.states[queue[k]].successors) {
      if (!parents.has(to)) parents.set(to, []);
      parents.get(to).push(queue[k]);
      if (!depth.has(to) && queue.length < DRAWN) {
        depth.set(to, depth.get(queue[k]) + 1);
        queue.push(to);
      }
    }
  }
  const rows = [];
  for (const id of queue) (rows[depth.get(id)] ||= []).push(id);
  const place = new Map();
  for (const [level, row] of rows.entries()) {
    const mean = (id) => {
      const over = (parents.get(id) || []).filter((p) => depth.get(p) === level - 1);
      return over.reduce((sum, p) => sum + place.get(p), 0) / (over.length || 1);
    };
    if (level > 0) row.sort((a, b) => mean(a) - mean(b) || a - b);
    row.forEach((id, k) => place.set(id, k - (row.length - 1) / 2));
  }
  return { rows, depth, place };
}

/** An arrow from state to state: straight to the next layer, else in a bow. */
function arrow(a, b, same, both) {
  if (same) {
    const [x, y] = [a.x + RADIUS * 0.8, a.y - RADIUS * 0.6];
    return `M${x},${y} c34,-30 34,52 0,${RADIUS * 1.2}`;
  }
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const long = Math.hypot(dx, dy);
  const [ux, uy] = [dx / long, dy / long];
  const straight = dx > 0 && dx <= WIDE + 1 && !both;
  const bend = straight ? 0 : both && dx > 0 ? -18 : -Math.min(80, 20 + long / 6);
  const [mx, my] = [(a.x + b.x) / 2 + uy * bend, (a.y + b.y) / 2 - ux * bend];
  const cut = (p, q) => {
    const d = Math.hypot(q[0] - p.x, q[1] - p.y) || 1;
    return [p.x + ((q[0] - p.x) / d) * RADIUS, p.y + ((q[1] - p.y) / d) * RADIUS];
  };
  const from = cut(a, [mx, my]);
  const to = cut(b, [mx, my]);
  return `M${from} Q${mx},${my} ${to}`;
}

/** The model with its states; `subformulas` are what `holds` of a state counts. */
export function drawModel(model, subformulas) {
  const { rows, depth, place } = layers(model);
  const tallest = Math.max(...rows.map((row) => row.length));
  const height = Math.max(tallest * HIGH, 150) + 40;
  const width = rows.length * WIDE + 40;
  const at = new Map();
  for (const [level, row] of rows.entries()) {
    for (const id of row) {
      at.set(id, { x: 60 + level * WIDE, y: height / 2 + place.get(id) * HIGH });
    }
  }
  const svg = s('svg', {
    class: 'graph', viewBox: `0 0 ${width} ${height}`, role: 'group',
    'aria-label': `Model of ${plural(model.states.length, 'state')}`,
  });
  // It shrinks with the page, until it could not be read; then it scrolls.
  svg.style.maxWidth = `${width}px`;
  svg.style.minWidth = `${Math.round(width * 0.55)}px`;
  svg.append(s('defs', {}, s('marker', {
    id: 'tip', viewBox: '0 0 10 10', refX: '9', refY: '5', markerWidth: '7', markerHeight: '7',
    orient: 'auto-start-reverse',
  }, s('path', { d: 'M0,1 L9,5 L0,9 z', class: 'tip' }))));
  const edges = s('g', { class: 'edges' });
  for (const [id, a] of at) {
    for (const to of new Set(model.states[id].successors)) {
      const b = at.get(to);
      if (!b) continue;
      const both = to !== id && model.states[to].successors.includes(id);
      edges.append(s('path', {
        d: arrow(a, b, to === id, both), 'marker-end': 'url(#tip)', 'data-from': id, 'data-to': to,
      }));
    }
  }
  svg.append(edges);

  const said = h('div', { class: 'holds', 'aria-live': 'polite' });
  const nodes = new Map();
  const look = (id) => {
    const one = model.states[id];
    for (const [other, node] of nodes) node.classList.toggle('looked', other === id);
    for (const edge of edges.children) {
      edge.classList.toggle('out', Number(edge.dataset.from) === id);
    }
    const steps = one.successors.length
      ? `Steps to ${one.successors.map((to) => `s${to}`).join(', ')}.` : 'A dead end: no step.';
    const holds = (one.holds || []).map((k) => subformulas[k]).filter((text) => text !== undefined);
    put(said, h('h4', {}, `State s${id}${id === model.root ? ', the root' : ''}`),
      h('p', { class: 'soft' }, `True: ${one.true.join(', ') || 'no variable'}. ${steps}`),
      holds.length ? [h('p', {}, 'Subformulas true here:'),
        h('ul', {}, holds.map((text) => h('li', {}, h('code', {}, text))))] : null);
  };

  for (const [id, p] of at) {
    const { true: names, successors } = model.states[id];
    const text = names.length === 0 ? '∅' : names.join(' ');
    const node = s('g', {
      class: `node${id === model.root ? ' root' : ''}${successors.length ? '' : ' end'}`,
      tabindex: '0', role: 'img', transform: `translate(${p.x},${p.y})`,
      'aria-label': `State ${id}: ${names.join(', ') || 'no variable true'}`,
    }, s('circle', { r: RADIUS }), id === model.root ? s('circle', { r: RADIUS - 5 }) : null,
    s('text', { class: 'name', y: '5' }, text.length > 7 ? `${text.slice(0, 6)}…` : text),
    s('text', { class: 'id', y: RADIUS + 15 }, `s${id}`), s('title', {}, text));
    node.addEventListener('pointerenter', () => look(id));
    node.addEventListener('focus', () => look(id));
    node.addEventListener('click', () => look(id));
    nodes.set(id, node);
    svg.append(node);
  }
  look(model.root);
  const left = model.states.length - depth.size;
  return h('div', { class: 'drawn' }, h('div', { class: 'scroll' }, svg), said,
    left > 0 ? h('p', { class: 'soft' }, `${plural(left, 'more state')} not drawn.`) : null);
}
