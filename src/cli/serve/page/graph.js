// Draws a model where the program has laid it out (src/export/model): what is true in a state stands
// beside the graph when one points at it or goes to it by key, with how it keeps its promises.

import { button, h, put, s } from './dom.js';
import { plural } from './fen.js';

/** Height of a line of text in a state. */
const LINE = 16;

/** The model with its states; `subformulas` are what `holds` of a state counts. */
export function drawModel(model, subformulas) {
  const { width, height, states, edges } = model.layout;
  const svg = s('svg', {
    class: 'graph', viewBox: `0 0 ${width} ${height}`, role: 'group',
    'aria-label': `Model of ${plural(model.states.length, 'state')}`,
  });
  // It shrinks with the page, until it could not be read; then it scrolls.
  svg.style.maxWidth = `${width}px`;
  svg.style.minWidth = `${Math.round(width * 0.6)}px`;
  svg.append(s('defs', {}, s('marker', {
    id: 'tip', viewBox: '0 0 10 10', refX: '9', refY: '5', markerWidth: '7', markerHeight: '7',
    orient: 'auto-start-reverse',
  }, s('path', { d: 'M0,1 L9,5 L0,9 z', class: 'tip' }))));
  const lines = s('g', { class: 'edges' }, edges.map(({ from, to, path }) => s('path', {
    d: path, 'marker-end': 'url(#tip)', 'data-from': from, 'data-to': to,
  })));
  svg.append(lines);

  const said = h('div', { class: 'holds', 'aria-live': 'polite' });
  const nodes = new Map();
  const mark = (kept) => {
    const on = new Set((kept ? kept.edges : []).map(([from, to]) => `${from} ${to}`));
    for (const edge of lines.children) {
      edge.classList.toggle('kept', on.has(`${edge.dataset.from} ${edge.dataset.to}`));
    }
  };
  const promise = (kept) => {
    const shown = button([h('code', {}, kept.formula), ` ${kept.words}`], {
      class: 'small', 'aria-pressed': 'false', title: 'Show how',
      onclick: () => {
        const on = shown.getAttribute('aria-pressed') !== 'true';
        for (const other of said.querySelectorAll('button')) {
          other.setAttribute('aria-pressed', 'false');
        }
        shown.setAttribute('aria-pressed', String(on));
        mark(on ? kept : null);
      },
    });
    return h('li', {}, shown);
  };
  const look = (id) => {
    const one = model.states[id];
    for (const [other, node] of nodes) node.classList.toggle('looked', other === id);
    for (const edge of lines.children) {
      edge.classList.toggle('out', Number(edge.dataset.from) === id);
    }
    mark(null);
    const steps = one.successors.length
      ? `Steps to ${one.successors.map((to) => `s${to}`).join(', ')}.` : 'A dead end: no step.';
    const matters = one.matters
      ? ` The value matters of: ${one.matters.join(', ') || 'no variable'}.` : '';
    const holds = (one.holds || []).map((k) => subformulas[k]).filter((text) => text !== undefined);
    put(said, h('h4', {}, `State s${id}${id === model.root ? ', the root' : ''}`),
      h('p', { class: 'soft' }, `True: ${one.true.join(', ') || 'no variable'}.${matters} ${steps}`),
      one.kept.length ? [h('p', {}, 'Promises kept:'),
        h('ul', { class: 'promises' }, one.kept.map(promise))] : null,
      holds.length ? [h('p', {}, 'Subformulas true here:'),
        h('ul', {}, holds.map((text) => h('li', {}, h('code', {}, text))))] : null);
  };

  for (const placed of states) {
    const { id, x, y, width: w, height: high } = placed;
    const { true: names, successors } = model.states[id];
    const box = (inset) => s('rect', {
      x: inset - w / 2, y: inset - high / 2, width: w - 2 * inset, height: high - 2 * inset, rx: '9',
    });
    const top = -((placed.lines.length - 1) * LINE) / 2 + 4.5;
    const node = s('g', {
      class: `node${id === model.root ? ' root' : ''}${successors.length ? '' : ' end'}`,
      tabindex: '0', role: 'img', transform: `translate(${x},${y})`,
      'aria-label': `State ${id}: ${names.join(', ') || 'no variable true'}`,
    }, box(0), id === model.root ? box(4) : null,
    placed.lines.map((line, k) => s('text', { class: 'name', y: top + k * LINE },
      line.split(' ').map((word, n) => s('tspan', {
        class: word.startsWith('~') ? 'not' : '',
      }, n ? ` ${word}` : word)))),
    s('text', { class: 'id', y: high / 2 + 13 }, `s${id}`));
    node.addEventListener('pointerenter', () => look(id));
    node.addEventListener('focus', () => look(id));
    node.addEventListener('click', () => look(id));
    nodes.set(id, node);
    svg.append(node);
  }
  look(model.root);
  const left = model.states.length - states.length;
  return h('div', { class: 'drawn' }, h('div', { class: 'scroll' }, svg), said,
    left > 0 ? h('p', { class: 'soft' }, `${plural(left, 'more state')} not drawn.`) : null);
}
