// A job of a part, with its line of progress and its stop button; one at a time.

import { Job } from './api.js';
import { button, h } from './dom.js';
import { plural } from './fen.js';

/** What a progress event says, in words. */
export function progressWords(data) {
  const amount = data.done === null || data.done === undefined ? '' : data.total
    ? `${data.done.toLocaleString('en')} of ${data.total.toLocaleString('en')}`
    : data.done.toLocaleString('en');
  return [data.stage, amount].filter(Boolean).join(' · ');
}

export class Task {
  constructor(what) {
    this.what = what;
    this.job = null;
    this.words = h('span', { role: 'status' });
    this.halt = button('Stop', { class: 'small', onclick: () => {
      this.halt.disabled = true;
      this.job.stop();
    } });
    this.element = h('p', { class: 'task', hidden: true }, this.words, this.halt);
  }

  /** Starts over; `on` as for a Job. `error` is shown here unless `on` has its own. */
  run(kind, body, on) {
    this.drop();
    this.element.hidden = false;
    this.element.classList.remove('fault');
    this.halt.hidden = false;
    this.halt.disabled = false;
    this.words.textContent = `${this.what} …`;
    let failed = false;
    this.job = new Job(kind, body, {
      ...on,
      queued: ({ ahead }) => {
        this.words.textContent = ahead > 0
          ? `Waiting: ${plural(ahead, 'question')} before this one` : 'Waiting for a free place';
      },
      started: () => { this.words.textContent = `${this.what} …`; },
      progress: (data) => {
        const text = progressWords(data);
        this.words.textContent = `${this.what} … ${text}`;
      },
      error: (text, code) => {
        failed = true;
        this.element.classList.add('fault');
        this.words.textContent = text;
        if (on.error) on.error(text, code);
      },
      end: (state) => {
        this.halt.hidden = true;
        this.job = null;
        if (!failed) this.element.hidden = true;
        if (on.end) on.end(state);
      },
    });
    return this.job;
  }

  drop() {
    if (this.job) this.job.drop();
    this.job = null;
    this.element.hidden = true;
  }
}
