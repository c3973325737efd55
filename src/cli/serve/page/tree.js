// A strategy as a tree that folds. Branches are asked of the server when they are unfolded.

import * as api from './api.js';
import { button, h, put } from './dom.js';
import { capital, moveNumber, other, plural, spoken, turnOf } from './fen.js';
import { setView } from './state.js';
import { endWords, far } from './words.js';

/** Rows that are shown under one branch at first; there may be two hundred replies. */
const FEW = 40;
/** Branches that one press unfolds at most. */
const MANY = 150;

/**
 * A tree by the pattern of the ARIA authoring practices: one stop for the tab key, arrows inside.
 * `label(node)` makes an item's text, `children(node)` promises the nodes under it (null: none),
 * `show(node)` looks at it.
 */
export function foldingTree(name, roots, { label, children, leaf, show }) {
  const tree = h('ul', { role: 'tree', 'aria-label': name, class: 'tree' });
  const items = new Map();

  function item(node, level) {
    const inside = h('ul', { role: 'group', hidden: true });
    const end = leaf(node);
    const mark = h('span', { class: 'fold', 'aria-hidden': 'true' }, end ? '·' : '▸');
    const text = h('span', { class: 'label' }, label(node));
    const li = h('li', {
      role: 'treeitem', tabindex: '-1', 'aria-level': level,
      'aria-expanded': end ? undefined : 'false',
    }, h('span', { class: 'item' }, mark, text), end ? null : inside);
    items.set(li, { node, inside, mark, level, loaded: false, end });
    mark.addEventListener('click', (event) => { event.stopPropagation(); toggle(li); focus(li); });
    text.addEventListener('click', (event) => {
      event.stopPropagation();
      focus(li);
      show(node);
      if (!items.get(li).end && inside.hidden) toggle(li);
    });
    return li;
  }

  function append(li, nodes) {
    const { inside, level } = items.get(li);
    inside.append(...nodes.slice(0, FEW).map((node) => item(node, level + 1)));
    if (nodes.length > FEW) {
      const more = h('li', { role: 'none' }, button(`${nodes.length - FEW} more`, {
        class: 'small', onclick: () => { more.remove(); append(li, nodes.slice(FEW)); },
      }));
      inside.append(more);
    }
  }

  async function toggle(li, open = items.get(li).inside.hidden) {
    const entry = items.get(li);
    if (entry.end) return;
    if (open && !entry.loaded) {
      entry.loaded = true;
      entry.mark.textContent = '…';
      try {
        append(li, await children(entry.node));
      } catch (error) {
        entry.loaded = false;
        entry.mark.textContent = '▸';
        put(entry.inside, h('li', { role: 'none', class: 'fault' }, error.message));
        entry.inside.hidden = false;
        return;
      }
    }
    entry.inside.hidden = !open;
    entry.mark.textContent = open ? '▾' : '▸';
    li.setAttribute('aria-expanded', String(open));
  }

  const visible = () => [...tree.querySelectorAll('[role=treeitem]')]
    .filter((li) => !li.parentElement.closest('[hidden]'));

  function focus(li) {
    for (const other of tree.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    li.tabIndex = 0;
    li.focus({ preventScroll: true });
    li.querySelector('.item').scrollIntoView({ block: 'nearest' });
  }

  tree.addEventListener('keydown', (event) => {
    const li = event.target.closest('[role=treeitem]');
    if (!li || event.ctrlKey || event.metaKey || event.altKey) return;
    const list = visible();
    const at = list.indexOf(li);
    const entry = items.get(li);
    const folded = !entry.end && entry.inside.hidden;
    const acts = {
      ArrowDown: () => list[at + 1] && focus(list[at + 1]),
      ArrowUp: () => list[at - 1] && focus(list[at - 1]),
      Home: () => focus(list[0]),
      End: () => focus(list[list.length - 1]),
      ArrowRight: () => (folded ? toggle(li) : !entry.end && list[at + 1] && focus(list[at + 1])),
      ArrowLeft: () => {
        if (!entry.end && !entry.inside.hidden) toggle(li);
        else {
          const parent = li.parentElement.closest('[role=treeitem]');
          if (parent) focus(parent);
        }
      },
      Enter: () => show(entry.node),
      ' ': () => { toggle(li); },
    };
    if (!acts[event.key]) return;
    acts[event.key]();
    event.preventDefault();
    event.stopPropagation();
  });

  tree.append(...roots.map((node) => item(node, 1)));
  if (tree.firstElementChild) tree.firstElementChild.tabIndex = 0;

  /** Unfolds one level more, or folds everything. */
  async function unfold() {
    const folded = visible().filter((li) => !items.get(li).end && items.get(li).inside.hidden);
    for (const li of folded.slice(0, MANY)) await toggle(li, true);
  }
  function fold() {
    for (const li of tree.querySelectorAll('[aria-expanded=true]')) toggle(li, false);
  }
  return {
    element: h('div', {}, h('div', { class: 'row' },
      button('Unfold a level', { class: 'small', onclick: unfold }),
      button('Fold', { class: 'small', onclick: fold })), tree),
    open: (k) => toggle(tree.children[k], true),
  };
}

/** The tree of a job's strategy from its root. */
export function buildTree(job, side, root) {
  const first = turnOf(root.fen) === 'black' ? 1 : 0;
  // A node of the tree: a position of the strategy, and the reply that led to it.
  const start = { reply: null, fen: root.fen, ply: first, node: root };
  const load = async (entry) => {
    if (!entry.node) entry.node = await api.walk(job, side, entry.fen);
    return entry.node;
  };
  const words = (entry) => {
    if (entry.node && !entry.reply) {
      return entry.node.play ? [number(entry.ply, true), h('b', {}, entry.node.play.san),
        note(entry.node)] : [endWords(entry.node) || `${capital(other(side))} to move`];
    }
    const { reply, node } = entry;
    const own = node && node.play
      ? [' ', number(entry.ply + 1, false), h('b', {}, node.play.san), note(node)] : [];
    const name = spoken(reply.san);
    return [h('span', { 'aria-label': name }, number(entry.ply, true), reply.san), own];
  };
  const number = (ply, begins) => h('span', { class: 'number' }, moveNumber(ply, begins));
  const note = (node) => h('span', { class: 'soft' }, node.end ? ` ${endWords(node)}`
    : far(node.mate_plies) ? ` ${far(node.mate_plies)}` : '');
  const tree = foldingTree(`${capital(side)}’s strategy`, [start], {
    label: words,
    leaf: (entry) => Boolean(entry.node && (entry.node.end || entry.node.replies.length === 0)),
    children: async (entry) => {
      const node = await load(entry);
      const ply = entry.reply ? entry.ply + (node.play ? 2 : 1) : entry.ply + (node.play ? 1 : 0);
      const below = node.replies.map((reply) => ({ reply, fen: reply.fen, ply, node: null }));
      // The owner's answer belongs to the row, so each is asked for with its row, a few at a time.
      for (let k = 0; k < Math.min(below.length, FEW); k += 4) {
        await Promise.all(below.slice(k, k + 4).map(load));
      }
      return below;
    },
    show: async (entry) => {
      const node = await load(entry);
      setView({
        fen: node.play ? node.play.fen : node.fen, last: node.play ? node.play.uci : null,
        label: `${capital(side)}’s strategy: ${plural(node.replies.length, 'reply', 'replies')}`,
        check: node.play ? /[+#]/.test(node.play.san) : false,
      });
    },
  });
  tree.open(0);
  return tree.element;
}
