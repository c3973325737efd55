// An aim: a CTL formula over chess atoms, put to the position; the positions where it holds.

import { button, h, put } from './dom.js';
import { capital, plural, turnOf } from './fen.js';
import { miniBoard } from './mini.js';
import { fenNow, listen, setView, state } from './state.js';
import { Task } from './task.js';
import { seconds, stopWords } from './words.js';

const EXAMPLES = [
  ['AF mate(black)', 'on every line Black is mated'],
  ['EF mate(black)', 'some line of legal moves mates Black'],
  ['AG ~stalemate', 'stalemate never comes'],
  ['EF stalemate', 'some line ends in stalemate'],
  ['EF (count(Q) >= 2)', 'White may get a second queen'],
  ['AX check(black)', 'every move gives check'],
];

const RULES = [
  ['white', 'White chooses its moves'], ['black', 'Black chooses its moves'],
  ['all', 'any legal play'],
];

const SHOWN = 12;

export function buildAim(host) {
  const task = new Task('Checking');
  const field = h('textarea', {
    rows: '2', spellcheck: 'false', 'aria-label': 'The aim', maxlength: '20000',
  });
  field.value = EXAMPLES[0][0];
  const rules = h('select', {}, RULES.map(([value, text]) => h('option', { value }, text)));
  const answer = h('div', { class: 'answer', 'aria-live': 'polite' });
  const states = h('div', {});

  // What the program prints, less its first word and its last line, which stand here already.
  function said(r) {
    const lines = (r.text || '').trim().split('\n').slice(0, -1);
    return lines.map((text) => h('p', {}, capital(text.replace(/^(yes|no|true|false): /, ''))));
  }

  function show(r) {
    const words = r.answer === null ? `Not decided${r.stop ? `: ${stopWords(r.stop)}` : ''}`
      : r.answer ? 'It holds' : 'It does not hold';
    put(answer, h('p', { class: `big ${r.answer === null ? 'open' : r.answer ? 'yes' : 'no'}` },
      words), said(r),
    h('p', { class: 'soft' }, `${plural(r.positions, 'position')} · ${seconds(r.seconds)}`));
    showStates(r);
  }

  function showStates(r) {
    const found = r.states;
    if (!found) {
      put(states, r.states_why ? h('p', { class: 'soft' }, r.states_why) : null);
      return;
    }
    const grid = h('ul', { class: 'states' });
    const more = h('div', {});
    const add = (from) => {
      grid.append(...found.fens.slice(from, from + SHOWN).map((fen) => {
        const b = button('', {
          class: 'state', title: fen, onclick: () => setView({
            fen, label: 'A position where the aim holds',
          }),
        });
        b.append(miniBoard(fen, { flipped: state.flipped }),
          h('small', {}, `${capital(turnOf(fen))} to move`));
        return h('li', {}, b);
      }));
      put(more, from + SHOWN < found.fens.length
        ? button('More', { class: 'small', onclick: () => add(from + SHOWN) }) : null);
    };
    put(states, h('h4', {}, `In all legal play it is true at ${found.holds.toLocaleString('en')} of ${
      plural(found.positions, 'position')}`), grid, more);
    add(0);
  }

  function ask() {
    if (!field.value.trim()) return;
    put(answer);
    put(states);
    task.run('check', { fen: fenNow(), aim: field.value, rules: rules.value }, { result: show });
  }

  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      ask();
    }
  });
  put(host, h('p', { class: 'soft' }, 'Atoms speak of chess: mate(black), check(white), stalemate, '
    + 'on(P, e4), attacked(e4, white), count(q) <= 1, white_to_move. A path, an operator: AF some '
    + 'time on every line, EF on some line, AG always, AX after every move.'),
  h('div', { class: 'row chips' }, EXAMPLES.map(([text, meaning]) => button(text, {
    class: 'chip', title: capital(meaning), onclick: () => { field.value = text; ask(); },
  }))), field, h('div', { class: 'row' }, h('label', {}, 'Who chooses: ', rules),
    button('Put it', { class: 'main', onclick: ask })), task.element, answer, states);
  listen('position', () => {
    task.drop();
    put(answer);
    put(states);
  });
}
