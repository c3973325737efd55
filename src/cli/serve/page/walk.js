// A strategy as a walk: the owner's moves are played, the replies are chosen, on the board, by
// button or by key. Each position is asked of the server when one comes to it.

import * as api from './api.js';
import { button, h, put } from './dom.js';
import { capital, moveNumber, movesOf, other, plural, spoken, turnOf } from './fen.js';
import { nearBoard } from './mini.js';
import { setView, state } from './state.js';
import { buildTree } from './tree.js';
import { endWords, far } from './words.js';

/** The distance as chess programs write it. */
const short = (reply) => (reply.mate_plies > 0 ? ` #${movesOf(reply.mate_plies)}` : '');

export class Walk {
  constructor(host) {
    this.sides = h('div', { class: 'row', role: 'group', 'aria-label': 'Whose strategy' });
    this.status = h('p', { class: 'status', role: 'status', 'aria-live': 'polite' });
    this.near = h('div', { class: 'near' });
    this.choices = h('ol', { class: 'choices', 'aria-label': 'Replies to choose from' });
    this.line = h('p', { class: 'line', 'aria-label': 'The line so far' });
    this.tools = h('div', { class: 'row', role: 'toolbar', 'aria-label': 'Walk' },
      this.toStart = button('«', { onclick: () => this.go(0) }, 'To the start of the walk'),
      this.back = button('‹', { onclick: () => this.go(this.at - 1) }, 'One reply back'),
      this.hardest = button('Longest resistance', { onclick: () => this.toEnd() }));
    this.exports = h('div', { class: 'row exports', role: 'group', 'aria-label': 'Export' });
    this.tree = h('div', { class: 'tree-host' });
    put(host, this.sides, h('div', { class: 'walk' }, this.status, this.near, this.choices,
      this.tools, this.line), h('h3', {}, 'The tree'), this.tree,
    h('h3', { class: 'exports-title' }, 'Take it along'), this.exports);
    this.job = null;
    this.steps = [];
    this.at = 0;
  }

  /** Opens the strategy of a job: `sides` are those of its certificate. */
  async open(job, sides, first) {
    this.job = job;
    this.first = first || sides[0];
    const pick = (side) => {
      for (const b of this.sides.children) {
        b.setAttribute('aria-pressed', String(b.dataset.side === side));
      }
      this.begin(side);
    };
    put(this.sides, sides.length > 1 ? sides.map((side) => button(`${capital(side)} holds`, {
      'data-side': side, 'aria-pressed': 'false', onclick: () => { pick(side); this.show(true); },
    })) : null);
    this.sides.hidden = sides.length < 2;
    const file = (format, name) => h('a', {
      class: 'button', href: api.exported(job, sides.length > 1 && format === 'svg'
        ? { format, side: sides[0] } : { format }),
      download: `strategy.${format}`,
    }, name);
    put(this.exports, file('pgn', 'PGN'), file('svg', 'SVG'), file('html', 'Page'),
      file('json', 'JSON'),
      button('Print', { onclick: () => window.print() }, 'Print, or save as PDF'));
    await pick(this.first);
  }

  async begin(side) {
    this.side = side;
    const { job } = this;
    this.tree.replaceChildren();
    try {
      const node = await api.walk(job, side, null);
      if (this.job !== job || this.side !== side) return;
      this.steps = [{ node, reply: null }];
      this.at = 0;
      this.render();
      put(this.tree, buildTree(job, side, node));
    } catch (error) {
      this.status.textContent = error.message;
      put(this.choices);
    }
  }

  async choose(reply, quiet = false) {
    const { job, side } = this;
    let node;
    try {
      node = await api.walk(job, side, reply.fen);
    } catch (error) {
      this.status.textContent = error.message;
      return null;
    }
    if (this.job !== job || this.side !== side) return null;
    this.steps = [...this.steps.slice(0, this.at + 1), { node, reply }];
    this.at += 1;
    if (!quiet) this.show(true);
    return node;
  }

  go(at) {
    this.at = Math.max(0, Math.min(at, this.steps.length - 1));
    this.show(true);
  }

  // A strategy that holds has no end: the walk stops where a position comes again.
  async toEnd() {
    const seen = new Set(this.steps.slice(0, this.at + 1).map((step) => step.node.fen));
    for (let k = 0; k < 400; k++) {
      const { node } = this.steps[this.at];
      const reply = node.replies[0];
      if (!reply || node.end) break;
      const next = await this.choose(reply, true);
      if (!next || seen.has(next.fen)) break;
      seen.add(next.fen);
    }
    this.show(true);
  }

  /** The position on the board at this step: after the owner's move. */
  view() {
    const { node, reply } = this.steps[this.at];
    const fen = node.play ? node.play.fen : node.fen;
    const last = node.play ? node.play.uci : reply && reply.uci;
    return {
      fen, last, label: `${capital(this.side)}’s strategy`,
      check: node.play ? /[+#]/.test(node.play.san) : false,
      moves: node.end ? [] : node.replies.map((r) => ({ uci: r.uci, san: r.san, fen: r.fen, r })),
      play: (move) => this.choose(move.r),
    };
  }

  show(onBoard) {
    this.render();
    if (onBoard) setView(this.view());
  }

  render() {
    const { node, reply } = this.steps[this.at];
    const me = capital(node.owner);
    const you = capital(other(node.owner));
    const words = [];
    if (reply) words.push(`${you} played ${reply.san}.`);
    if (node.play) words.push(`${me} plays ${node.play.san}.`);
    if (node.end) words.push(endWords(node));
    else {
      const left = node.mate_plies > 0 ? `, ${far(node.mate_plies)} at most` : '';
      words.push(`${you} has ${plural(node.replies.length, 'reply', 'replies')}${left}.`);
    }
    this.status.textContent = words.join(' ');
    put(this.near, nearBoard(this.view().fen, state.flipped));
    put(this.choices, (node.end ? [] : node.replies).map((r) => h('li', {},
      button(r.san, {
        onclick: () => this.choose(r),
        'aria-label': [`${r.san}${short(r)}`, spoken(r.san), far(r.mate_plies)].filter(Boolean)
          .join(', '),
      }))));
    [...this.choices.querySelectorAll('button')].forEach((b, k) => {
      b.append(h('small', {}, short(node.replies[k])));
    });
    this.toStart.disabled = this.back.disabled = this.at === 0;
    this.hardest.disabled = Boolean(node.end) || node.replies.length === 0;
    this.renderLine();
  }

  renderLine() {
    const parts = [];
    let ply = turnOf(this.steps[0].node.fen) === 'black' ? 1 : 0;
    const word = (san, k, current) => {
      const number = moveNumber(ply, parts.length === 0);
      ply += 1;
      parts.push(number, button(san, {
        class: 'ply', 'aria-current': current ? 'true' : undefined,
        'aria-label': `${san}, ${spoken(san)}`, onclick: () => this.go(k),
      }), ' ');
    };
    this.steps.forEach(({ node, reply }, k) => {
      const here = this.at === k;
      if (reply) word(reply.san, k, here && !node.play);
      if (node.play) word(node.play.san, k, here);
    });
    put(this.line, parts);
  }
}
