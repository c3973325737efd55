// The strategy that proves the verdict.

import { h, put } from './dom.js';
import { onVerdict, proved } from './verdict.js';
import { Walk } from './walk.js';

export function buildStrategy(panel) {
  const none = h('p', { class: 'soft' });
  const inside = h('div', { hidden: true });
  put(panel, h('h2', {}, 'Strategy'), none, inside);
  const walk = new Walk(inside);
  let opened = null;
  onVerdict(() => {
    const found = proved();
    inside.hidden = !found;
    none.hidden = Boolean(found);
    if (!found) {
      opened = null;
      none.textContent = 'When a value is proved, the strategy that proves it is here: its owner’s '
        + 'moves are played, you choose the replies.';
      return;
    }
    if (opened === found.job.id) return;
    opened = found.job.id;
    const { sides } = found.job.certificate;
    walk.open(found.job.id, sides, sides.includes(found.result.value) ? found.result.value : null);
  });
  none.textContent = 'Nothing is proved yet.';
}
