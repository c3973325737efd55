// Logic: the formulas of the position, aims put to it, and a playground for any formula.

import { buildAim } from './aim.js';
import { button, copy, h, put } from './dom.js';
import { fenNow, listen, state } from './state.js';
import { buildPlayground } from './playground.js';
import { Task } from './task.js';
import { bytes } from './words.js';
import { plural } from './fen.js';

const FORMULAS = [
  ['1', 'Θ1', 'White has a strategy that mates.'],
  ['2', 'Θ2', 'White is never mated and does not mate on every path, as printed in the paper.'],
  ['3', 'Θ3', 'Black has a strategy that mates.'],
  ['4', 'Θ4', 'Black is never mated and does not mate on every path, as printed in the paper.'],
  ['hold2', 'Hold2', 'White has a strategy that is never mated.'],
  ['hold4', 'Hold4', 'Black has a strategy that is never mated.'],
  ['draw', 'Θ2*', 'A draw: both sides have such a strategy.'],
];

function select(name, options, value) {
  const field = h('select', {}, options.map(([v, text]) =>
    h('option', { value: v, selected: v === value }, text)));
  return [h('label', {}, `${name} `, field), field];
}

function buildTheta(host) {
  const task = new Task('Writing the formula');
  let theta = '1';
  let head = '';
  const names = h('div', { class: 'row', role: 'group', 'aria-label': 'Which formula' },
    FORMULAS.map(([id, name, meaning]) => button(name, {
      'data-theta': id, 'aria-pressed': String(id === '1'), title: meaning, class: 'math',
      onclick: () => { theta = id; ask(); },
    })));
  const [formLabel, form] = select('Form', [
    ['sketch', 'sketch, for people'], ['compact', 'compact'], ['expanded', 'written out'],
  ], 'sketch');
  const [syntaxLabel, syntax] = select('Signs', [
    ['unicode', 'the paper’s'], ['ascii', 'ASCII'], ['latex', 'LaTeX'], ['smv', 'NuSMV'],
  ], 'unicode');
  const meaning = h('p', {});
  const text = h('pre', { class: 'text formula-text', tabindex: '0', 'aria-label': 'The formula' });
  const facts = h('p', { class: 'soft' });
  const links = h('div', { class: 'row' });
  const copied = button('Copy what is shown', {
    class: 'small', onclick: () => copy(head, copied),
  });

  function ask() {
    for (const b of names.children) {
      b.setAttribute('aria-pressed', String(b.dataset.theta === theta));
    }
    meaning.textContent = FORMULAS.find(([id]) => id === theta)[2];
    put(links);
    facts.textContent = '';
    if (!state.info) return;
    text.classList.add('stale');
    task.run('formula', { fen: fenNow(), theta, form: form.value, syntax: syntax.value }, {
      result: (r) => {
        head = r.head;
        text.classList.remove('stale');
        text.textContent = r.head + (r.bytes > r.head.length || !r.complete ? '\n…' : '');
        const over = r.positions ? `, over ${plural(r.positions, 'position')}` : '';
        facts.textContent = `${r.complete ? '' : 'More than '}${bytes(r.bytes)}${over}. Each `
          + 'position is said by 269 of the 271 variables.';
        put(links, copied, r.url ? h('a', {
          class: 'button small', href: r.url.replace(/^\//, ''), download: `theta-${theta}.txt`,
        }, `Download, ${bytes(r.bytes)}`) : h('span', { class: 'soft' },
          'Too long to download: use “theta formula” on the command line.'));
      },
      error: () => { text.textContent = ''; },
    });
  }
  form.addEventListener('change', ask);
  syntax.addEventListener('change', ask);
  put(host, h('p', { class: 'soft' }, 'Init ∧ Rules ∧ Aim: the position, the laws of chess with '
    + 'one move of the owner and every reply, and what is to be reached. The formula is '
    + 'satisfiable when there is such a strategy.'), names, meaning,
  h('div', { class: 'row' }, formLabel, syntaxLabel), task.element, text, facts, links);
  return { ask, clear: () => { task.drop(); text.textContent = ''; put(links); } };
}

export function buildLogic(panel) {
  const section = (title, open) => {
    const inside = h('div', { class: 'inside' });
    const details = h('details', { open }, h('summary', {}, h('h3', {}, title)), inside);
    return [details, inside];
  };
  const [one, thetaHost] = section('The formulas of this position', true);
  const [two, aimHost] = section('An aim, put to this position', true);
  const [three, satHost] = section('A playground: any formula', true);
  put(panel, h('h2', {}, 'Logic'), one, two, three);
  const theta = buildTheta(thetaHost);
  buildAim(aimHost);
  buildPlayground(satHost);
  let opened = null;
  const follow = () => {
    if (state.tab !== 'logic' || !state.info || opened === state.info.fen) return;
    opened = state.info.fen;
    theta.ask();
  };
  listen('position', () => { opened = null; theta.clear(); });
  listen('info', follow);
  listen('tab', follow);
}
