// Attempts to break the page: huge and hostile input, reloads, two tabs, a server that dies.
import assert from 'node:assert/strict';
import { at, open, says, serve, text } from './serve_browser.mjs';
import { HARD, KQK, RETI, fen } from './serve_parts.mjs';

/** Drops a file onto the page. */
async function drop(tab, name, content) {
  const data = await tab.evaluateHandle(([file, body]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([body], file));
    return transfer;
  }, [name, content]);
  await tab.dispatchEvent('body', 'dragenter', { dataTransfer: data });
  await tab.dispatchEvent('body', 'drop', { dataTransfer: data });
}

async function hostile(tab, { server }) {
  for (const bad of [
    '#fen=<script>alert(1)</script>', '#fen=%E0%A4%A', '#tab=__proto__', '#moves=x.y',
    `#fen=${'8'.repeat(100_000)}`, '#fen=8/8/8/8/8/8/8/8_w_-_-&at=-7&moves=e2e4', '#at=1e99',
  ]) {
    await tab.goto(`${server.url}${bad}`);
    await tab.reload();
    await tab.waitForSelector('html[data-ready]');
    await tab.waitForTimeout(150);
  }
  await tab.goto(at(server.url, KQK));
  await says(tab, '#verdict-title', /White wins/);
  // 100 KB of FEN, typed.
  await tab.locator('#fen').fill(`${'k'.repeat(100_000)} w - -`);
  await tab.locator('.fen-form button').click();
  await says(tab, '#verdict-title', /Not a position/);
  await drop(tab, '<script>alert(1)</script>.bin', '\u0000\u0001 what is this <b>');
  await says(tab, '#notice', /is no game, no certificate and no position/);
  await drop(tab, 'position.fen', `${RETI} 0 1\n`);
  await tab.waitForFunction((f) => document.querySelector('#fen').value === f, RETI);
  await drop(tab, 'huge.cert', `theta-certificate 4\n${'x'.repeat(3_000_000)}`);
  await says(tab, '#panel-certificate .fault', /has 3\.0 MB/);
  assert.equal(await tab.evaluate(() => document.querySelectorAll('main script').length), 0);
}

async function tenThousand(tab) {
  const games = Array.from({ length: 10_000 }, (_, k) => `[Event "Round ${k}"]\n[White "W ${k}"]\n`
    + `[Black "<script>alert(${k})</script>"]\n[Result "*"]\n\n`
    + '1. e4 { a comment [Event "x"] } e5 *\n\n');
  await drop(tab, 'many.pgn', games.join(''));
  await says(tab, '#panel-game .many', /300 of 10,000 games are listed/);
  await tab.locator('[aria-label="Find a game"]').fill('W 9876');
  await says(tab, '#panel-game .many [role=status]', /^1 game$/);
  await tab.locator('[aria-label=Games]').selectOption('9876');
  await says(tab, '#panel-game h3', /W 9876 – <script>/);
  assert.equal(await tab.locator('.game-move').count(), 3);
}

async function bombs(tab) {
  const decide = async (formula) => {
    await tab.locator('[aria-label=Formula]').fill(formula);
    await tab.locator('#panel-logic button:has-text("Decide")').click();
    await tab.waitForFunction(() => {
      const panel = document.querySelector('#panel-logic details:last-of-type');
      return /./.test(panel.querySelector('.big')?.textContent ?? '')
        || panel.querySelector('.task.fault:not([hidden])');
    }, null, { timeout: 60_000 });
  };
  let doubling = 'let a0 = p & q;\n';
  for (let k = 1; k <= 40; k++) doubling += `let a${k} = a${k - 1} & AX a${k - 1};\n`;
  await decide(`${doubling}a40`);
  await decide(`${'('.repeat(90_000)}p${')'.repeat(90_000)}`);
  await decide('~'.repeat(199_000) + 'p');
  await decide('AG (p -> AX');
  await decide('p & EX ~p');
  await says(tab, '#panel-logic details:last-of-type .big', /^Satisfiable$/);
}

// Long work never blocks the page, can be stopped, and a reload finds it again.
async function reload(tab) {
  await says(tab, '#verdict .clock', /^[2-9]/);
  const job = () => tab.evaluate(() =>
    JSON.parse(sessionStorage.getItem('theta.jobs')).find(([key]) => key.startsWith('solve'))[1]);
  const before = await job();
  await tab.reload();
  await tab.waitForSelector('html[data-ready]');
  await says(tab, '#verdict .clock', /^[2-9]/);
  assert.equal(await job(), before, 'the same job');
  await tab.locator('#stop').click();
  await says(tab, '#verdict-title', /^Not decided/);
  await says(tab, '#verdict', /Stopped: on request/);
  await tab.locator('#fen').fill(KQK);
  await tab.locator('.fen-form button').click();
  await says(tab, '#verdict-title', /White wins/);
}

async function twoTabs(tab, { browser, server }) {
  const second = await open(browser, at(server.url, HARD));
  await tab.locator('#fen').fill(KQK);
  await tab.locator('.fen-form button').click();
  await says(tab, '#verdict-title', /White wins/);
  await says(second.tab, '#verdict', /Thinking|Not decided/);
  await second.tab.locator('#fen').fill(RETI);
  await second.tab.locator('.fen-form button').click();
  await says(second.tab, '#verdict-title', /^A draw/);
  assert.equal(await fen(tab), KQK);
  assert.deepEqual(second.faults, []);
  await second.context.close();
}

// A browser opens six connections to one server: many tabs at work, and the one that is seen must
// still answer. (Chromium without a window calls every tab visible: the others say they are hidden.)
async function manyTabs(tab, { context, server }) {
  const others = [];
  for (let k = 0; k < 8; k++) {
    const other = await context.newPage();
    await other.goto(at(server.url, HARD, 'why'));
    await other.waitForSelector('html[data-ready]');
    await other.evaluate(() => {
      Object.defineProperty(document, 'hidden', { get: () => true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    others.push(other);
  }
  await tab.bringToFront();
  await tab.locator('#fen').fill(KQK);
  await tab.locator('.fen-form button').click();
  await says(tab, '#verdict-title', /White wins/);
  await says(tab, '#moves [role=status]', /every value proved/);
  for (const other of others) await other.close();
}

// The server ends while a job runs: the page says so, and goes on when there is one again.
async function death(_, { browser }) {
  const mortal = await serve();
  const { tab, context } = await open(browser, at(mortal.url, HARD));
  await says(tab, '#verdict .clock', /^[1-9]/);
  await mortal.end('SIGKILL');
  await says(tab, '#verdict', /The server does not answer/);
  await tab.locator('#fen').fill(KQK);
  await tab.locator('.fen-form button').click();
  await says(tab, '#verdict', /The server does not answer/);
  assert.match(await text(tab, '#verdict-title'), /./);
  await context.close();
}

export const breaking = [
  { name: 'hostile', fen: KQK, walk: hostile },
  { name: 'ten-thousand', fen: KQK, part: 'game', walk: tenThousand },
  { name: 'bombs', fen: KQK, part: 'logic', walk: bombs },
  { name: 'reload', fen: HARD, walk: reload },
  { name: 'two-tabs', fen: HARD, walk: twoTabs },
  { name: 'many-tabs', fen: RETI, walk: manyTabs },
  { name: 'death', fen: KQK, walk: death },
];
