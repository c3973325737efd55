// A playground for `theta sat`: a formula in, a drawn model or the reason why there is none.

import { button, h, put } from './dom.js';
import { capital, plural } from './fen.js';
import { drawModel } from './graph.js';
import { Task } from './task.js';
import { seconds, stopWords } from './words.js';

const EXAMPLES = [
  ['AG EF p & EG ~p', 'p is always within reach and may never come'],
  ['p & AX (q & AX (r & AX p)) & AG (p -> ~q & ~r) & AG EX T', 'three states in turn'],
  ['AG (p -> AX q) & AG (q -> AX p) & p & ~q', 'two that alternate'],
  ['AG (req -> AF ack) & EF req & AG EX T', 'every request is answered'],
  ['AF p & EG ~p', 'a contradiction'],
  ['AX AF p & ~AF p', 'satisfiable, but not by a total model'],
];

export function buildPlayground(host) {
  const task = new Task('Deciding');
  const field = h('textarea', {
    rows: '3', spellcheck: 'false', 'aria-label': 'Formula', maxlength: '200000',
  });
  field.value = EXAMPLES[0][0];
  const total = h('input', { type: 'checkbox' });
  const valid = h('input', { type: 'checkbox' });
  const answer = h('div', { class: 'answer', 'aria-live': 'polite' });
  const model = h('div', { class: 'model' });

  function headline(r) {
    if (r.satisfiable === null) {
      return ['open', `Not decided${r.stop ? `: ${stopWords(r.stop)}` : ''}`];
    }
    if (typeof r.valid === 'boolean') {
      return r.valid ? ['yes', 'Valid: true in every model']
        : ['no', 'Not valid: here is a model in which it is false'];
    }
    return r.satisfiable ? ['yes', 'Satisfiable'] : ['no', 'Unsatisfiable'];
  }

  function show(r) {
    const [kind, words] = headline(r);
    const engine = { tableau: 'a tableau', symbolic: 'an elimination over sets of states' };
    const facts = [
      r.engine ? `decided by ${engine[r.engine] || r.engine}` : null,
      plural(r.states, 'state searched', 'states searched'), seconds(r.seconds),
      r.verified ? 'model checked' : null,
    ];
    put(answer, h('p', { class: `big ${kind}` }, words), reason(r),
      (r.warnings || []).map((text) => h('p', { class: 'warning' }, text)),
      h('p', { class: 'soft' }, facts.filter(Boolean).join(' · ')));
    put(model, r.model ? drawModel(r.model, r.subformulas || [])
      : r.model_why ? h('p', { class: 'soft' }, capital(r.model_why)) : null);
  }

  function reason(r) {
    if (!r.reason) return null;
    return [h('p', {}, capital(r.reason.words || 'These parts contradict each other:')),
      h('ul', { class: 'core' }, (r.reason.core || []).map((text) =>
        h('li', {}, h('code', {}, text))))];
  }

  function ask() {
    if (!field.value.trim()) return;
    put(answer);
    put(model);
    task.run('sat', { formula: field.value, total: total.checked, valid: valid.checked }, {
      result: show,
    });
  }

  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      ask();
    }
  });
  put(host, h('p', { class: 'soft' }, 'Is a formula of CTL true in some model? Signs: ~ & | -> '
    + '<->, AX EX AF EF AG EG, A[p U q], E[p U q], T and F. Enter decides; shift and Enter '
    + 'begin a new line.'),
  h('div', { class: 'row chips' }, EXAMPLES.map(([text, meaning]) => button(text, {
    class: 'chip', title: capital(meaning), onclick: () => { field.value = text; ask(); },
  }))), field, h('div', { class: 'row' },
    h('label', {}, total, ' no dead ends'), h('label', {}, valid, ' is it valid?'),
    button('Decide', { class: 'main', onclick: ask })), task.element, answer, model);
}
