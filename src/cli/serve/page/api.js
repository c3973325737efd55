// Speaks with the server: short questions, and jobs whose answers come as a stream of events.

/** An answer that is not one: `code` is the server's word for it, `text` is for people. */
export class Refused extends Error {
  constructor(text, code) {
    super(text);
    this.code = code;
  }
}

const SILENT = 'The server does not answer. Is “theta serve” still running?';

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Refused(SILENT, 'silent');
  }
  let data = null;
  try {
    data = await answer.json();
  } catch {
    // A body that is no JSON: the status has to do.
  }
  if (answer.ok) return data;
  const text = data && data.error ? data.error : `The server answered ${answer.status}.`;
  throw new Refused(text, data && data.code ? data.code : String(answer.status));
}

export const get = (path, signal) => ask(path, { signal });

export const post = (path, body) => (body instanceof Blob || body instanceof ArrayBuffer
  ? ask(path, {
    method: 'POST', headers: { 'Content-Type': 'application/octet-stream' }, body,
  })
  : ask(path, {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
  }));

const query = (fields) => new URLSearchParams(fields).toString();

export const position = (fen, signal) => get(`api/v1/position?${query({ fen })}`, signal);
export const info = () => get('api/v1/info');
export const walk = (job, side, fen) =>
  get(`api/v1/jobs/${job}/walk?${query(fen ? { side, fen } : { side })}`);
export const exported = (job, fields) => `api/v1/jobs/${job}/export?${query(fields)}`;

// Jobs ------------------------------------------------------------------------------------------

// The numbers of jobs by what was asked, so that a reload goes on listening where it left off. The
// server keeps ended jobs for some minutes.
const KEPT = 'theta.jobs';

function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT)) || [];
  } catch {
    return [];
  }
}

function keep(key, job) {
  const list = kept().filter(([other]) => other !== key);
  if (job) list.push([key, job]);
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(list.slice(-24)));
  } catch {
    // Storage is closed or full: a reload asks anew.
  }
}

/** A short name for a text: itself, or where it is long its beginning, length and a sum. */
function digest(text) {
  if (text.length <= 200) return text;
  let sum = 0x811c9dc5;
  for (let k = 0; k < text.length; k++) sum = Math.imul(sum ^ text.charCodeAt(k), 0x01000193);
  return `${text.slice(0, 40)} ${text.length} ${(sum >>> 0).toString(16)}`;
}

// A browser opens six connections to one server, for all its tabs together, and a stream takes one
// for as long as it lasts. So only the kinds of job that tell something piece by piece have a
// stream, and only while the page is seen; of the others one asks how they stand.
const STREAMED = ['solve', 'moves', 'game'];
const live = new Set();
document.addEventListener('visibilitychange', () => {
  if (document.hidden) for (const job of [...live]) job.rest();
});

const NAMES = [
  'queued', 'started', 'progress', 'note', 'proved', 'move', 'position', 'result', 'certificate',
];

/**
 * Asks for a job and listens to it. `on` has a function for each event that is of interest, and
 *   `error(text, code)`, `end(state)`.
 * A job asked before in this tab, with the same words, is listened to again if it is still there;
 * `known` is the number of one to listen to, whatever was asked.
 */
export class Job {
  constructor(kind, body, on, known = null) {
    this.kind = kind;
    this.body = body;
    this.on = on;
    this.id = null;
    this.over = false;
    this.source = null;
    this.lost = 0;
    this.key = body instanceof ArrayBuffer ? null : digest(`${kind} ${JSON.stringify(body)}`);
    this.begin(known);
  }

  tell(name, ...data) {
    if (!this.over && this.on[name]) this.on[name](...data);
  }

  finish(state) {
    if (this.over) return;
    this.close();
    // What did not come to its end is asked anew after a reload.
    if (state !== 'done' && this.key) keep(this.key, null);
    this.tell('end', state);
    this.over = true;
  }

  close() {
    if (this.source) this.source.close();
    live.delete(this);
  }

  fail(error) {
    this.tell('error', error.message, error.code || 'internal');
    this.finish('failed');
  }

  async begin(known) {
    const found = known ? [this.key, known]
      : this.key && kept().find(([key]) => key === this.key);
    try {
      if (found) {
        try {
          await get(`api/v1/jobs/${found[1]}`);
          this.listen(found[1]);
          return;
        } catch (error) {
          if (error.code === 'silent' || known) throw error;
          keep(this.key, null);
        }
      }
      if (this.over) return;
      const { job } = await post(`api/v1/${this.kind}`, this.body);
      if (this.key) keep(this.key, job);
      this.listen(job);
    } catch (error) {
      this.fail(error);
    }
  }

  listen(id) {
    this.id = id;
    if (this.over) {
      // It was given up before the server had said its number.
      this.forget();
    } else if (STREAMED.includes(this.kind) && !document.hidden) this.stream();
    else this.poll(100);
  }

  stream() {
    const source = new EventSource(`api/v1/jobs/${this.id}/events`);
    this.source = source;
    for (const name of NAMES) {
      source.addEventListener(name, (event) => {
        this.lost = 0;
        this.tell(name, JSON.parse(event.data), this);
      });
    }
    // The browser calls its own troubles `error` as well; those have no data.
    source.addEventListener('error', (event) => {
      if (event.data !== undefined) {
        const fault = JSON.parse(event.data);
        this.tell('error', fault.error, fault.code);
      } else this.silence();
    });
    source.addEventListener('end', (event) => this.finish(JSON.parse(event.data).state));
    live.add(this);
  }

  // The stream broke off. The browser tries again by itself; what it cannot know is that the job
  // is gone, or the whole server.
  async silence() {
    this.lost += 1;
    try {
      await get(`api/v1/jobs/${this.id}`);
      if (this.source.readyState === EventSource.CLOSED && !this.over) this.listen(this.id);
    } catch (error) {
      if (error.code === 'no_job' || this.lost > 2) this.fail(error);
    }
  }

  /** Asks how the job stands, now and again, until it has ended. */
  async poll(pause) {
    if (this.over || this.source) return;
    if (STREAMED.includes(this.kind) && !document.hidden) {
      this.stream();
      return;
    }
    let now;
    try {
      now = await get(`api/v1/jobs/${this.id}`);
      this.lost = 0;
    } catch (error) {
      this.lost += 1;
      if (error.code === 'no_job' || this.lost > 2) {
        this.fail(error);
        return;
      }
    }
    if (now && (now.state === 'queued' || now.state === 'running')) {
      if (now.progress) this.tell('progress', now.progress);
    } else if (now) {
      if (now.result) this.tell('result', now.result, this);
      if (now.certificate) this.tell('certificate', now.certificate, this);
      if (now.error) this.tell('error', now.error.error, now.error.code);
      this.finish(now.state);
      return;
    }
    setTimeout(() => this.poll(Math.min(pause * 1.5, 800)), pause);
  }

  /** Goes from the stream to asking: nobody sees the page, and others need the connection. */
  rest() {
    this.source.close();
    this.source = null;
    live.delete(this);
    this.poll(500);
  }

  /** Asks the job to end with what it has; its result still comes. */
  async stop() {
    if (this.over || !this.id) {
      if (!this.id) this.drop();
      return;
    }
    try {
      await ask(`api/v1/jobs/${this.id}`, { method: 'DELETE' });
    } catch (error) {
      if (error.code !== 'no_job') this.fail(error);
    }
  }

  /** Nobody wants the answer any more. */
  drop() {
    if (this.over) return;
    this.over = true;
    this.close();
    this.forget();
  }

  forget() {
    if (!this.id) return;
    if (this.key) keep(this.key, null);
    ask(`api/v1/jobs/${this.id}`, { method: 'DELETE' }).catch(() => {});
  }
}
