// Points out what is true in a state, and how it keeps its promises.
const { model, subformulas } = JSON.parse(document.getElementById('data').textContent);
const said = document.querySelector('.said');
const nodes = new Map([...document.querySelectorAll('.state')].map((g) => [Number(g.dataset.id), g]));
const edges = [...document.querySelectorAll('.edge')];
let fixed = null;

function make(tag, text, ...inside) {
  const node = document.createElement(tag);
  if (text) node.textContent = text;
  node.append(...inside);
  return node;
}

function mark(kept) {
  const on = new Set((kept ? kept.edges : []).map(([from, to]) => `${from} ${to}`));
  for (const edge of edges) {
    edge.classList.toggle('kept', on.has(`${edge.dataset.from} ${edge.dataset.to}`));
  }
}

function list(title, items) {
  return items.length ? [make('h2', title), make('ul', '', ...items)] : [];
}

function promise(kept) {
  const button = make('button', '', make('code', kept.formula), ` ${kept.words}`);
  button.setAttribute('aria-pressed', 'false');
  button.addEventListener('click', () => {
    const on = button.getAttribute('aria-pressed') !== 'true';
    for (const other of said.querySelectorAll('button')) other.setAttribute('aria-pressed', 'false');
    button.setAttribute('aria-pressed', String(on));
    mark(on ? kept : null);
  });
  return make('li', '', button);
}

function look(id) {
  const state = model.states[id];
  for (const [other, node] of nodes) node.classList.toggle('looked', other === id);
  for (const edge of edges) edge.classList.toggle('out', Number(edge.dataset.from) === id);
  mark(null);
  const steps = state.successors.length
    ? `Steps to ${state.successors.map((to) => `s${to}`).join(', ')}.` : 'A dead end: no step.';
  const matters = state.matters
    ? ` The value matters of: ${state.matters.join(', ') || 'no atom'}.` : '';
  said.replaceChildren(
    make('h2', `State s${id}${id === model.root ? ', the root' : ''}`),
    make('p', `True: ${state.true.join(', ') || 'no atom'}.${matters} ${steps}`),
    ...list('Promises kept (click: how)', state.kept.map(promise)),
    ...list('Subformulas true here', state.holds.map((k) => make('li', '', make('code', subformulas[k])))),
  );
}

for (const [id, node] of nodes) {
  node.tabIndex = 0;
  const title = node.querySelector('title');
  node.setAttribute('aria-label', title ? title.textContent : `State s${id}`);
  if (title) title.remove();
  node.addEventListener('pointerenter', () => { if (fixed === null) look(id); });
  node.addEventListener('focus', () => look(id));
  node.addEventListener('click', () => { fixed = fixed === id ? null : id; look(id); });
}
look(model.root);
