// A certificate from elsewhere: verified from scratch, then walked through.

import { Job, info } from './api.js';
import { h, put } from './dom.js';
import { capital, plural } from './fen.js';
import { setPosition } from './state.js';
import { Task } from './task.js';
import { Walk } from './walk.js';
import { bytes, seconds } from './words.js';

const KEPT = 'theta.certificate';
const ui = {};

const keep = (value) => {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(value));
  } catch {
    // Without storage a reload forgets it.
  }
};

function show(r, name, job, move) {
  put(ui.answer, h('p', { class: `big ${r.accepted ? 'yes' : 'no'}` },
    r.accepted ? '✓ Accepted' : '✗ Rejected'),
  h('p', {}, h('span', { class: 'file' }, name), r.claim ? `: ${r.claim}` : ''),
  r.aim ? h('p', {}, 'The aim: ', h('code', {}, r.aim)) : null,
  r.accepted ? null : h('p', { class: 'fault' }, capital(r.reason || 'No reason was given.')),
  r.fen ? h('p', { class: 'soft fen-text' }, r.fen) : null,
  h('p', { class: 'soft' }, [
    typeof r.positions === 'number' ? plural(r.positions, 'position') : null,
    'checked by the kernel, from the laws of chess alone', seconds(r.seconds),
  ].filter(Boolean).join(' · ')),
  (r.rules || []).map((rule) => h('p', { class: 'soft' }, `Cites a rule, proved again against ${
    rule.checked_against}: ${rule.rule}`)),
  (r.relies_on || []).map((text) => h('p', { class: 'soft' }, `Relies on ${text}.`)));
  const walkable = r.accepted && r.sides && r.sides.length > 0;
  ui.walk.hidden = !walkable;
  if (!r.accepted) return;
  if (move && r.fen) setPosition(r.fen);
  if (walkable) ui.strategy.open(job, r.sides, null);
}

const events = (name, move) => ({
  result: (r, job) => {
    keep({ job: job.id, name });
    show(r, name, job.id, move);
  },
});

/** Verifies the bytes of a file. */
export async function openCertificate(name, content) {
  put(ui.answer);
  ui.walk.hidden = true;
  ui.task.drop();
  const { limits } = await info().catch(() => ({ limits: { body: 1 << 20 } }));
  if (content.byteLength > limits.body) {
    put(ui.answer, h('p', { class: 'fault' }, `${name} has ${bytes(content.byteLength)}; this page `
      + `takes ${bytes(limits.body)}. “theta verify” on the command line checks any certificate.`));
    return;
  }
  ui.task.run('verify', content, events(name, true));
}

export function buildCertificate(panel) {
  ui.task = new Task('Checking');
  ui.answer = h('div', { class: 'answer', 'aria-live': 'polite' });
  ui.walk = h('div', { hidden: true });
  ui.strategy = new Walk(ui.walk);
  const file = h('input', { type: 'file', class: 'unseen', id: 'certificate-file' });
  file.addEventListener('change', async () => {
    if (file.files[0]) openCertificate(file.files[0].name, await file.files[0].arrayBuffer());
    file.value = '';
  });
  put(panel, h('h2', {}, 'Certificate'),
    h('p', { class: 'soft' }, 'A certificate is a strategy that anyone can check. Drop one '
      + 'anywhere on this page, or choose it; the kernel reads it, move by move, and believes '
      + 'nothing else.'),
    h('div', { class: 'row' }, file, h('label', { for: 'certificate-file', class: 'button main' },
      'Choose a certificate')), ui.task.element, ui.answer, ui.walk);
  resume();
}

// After a reload the server may still have it.
function resume() {
  let kept = null;
  try {
    kept = JSON.parse(sessionStorage.getItem(KEPT));
  } catch {
    // Nothing that can be read.
  }
  if (!kept || !/^[0-9a-f]{1,64}$/.test(kept.job)) return;
  new Job('verify', null, events(String(kept.name), false), kept.job);
}
