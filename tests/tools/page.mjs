// Clicks through pages of `theta strategy --format html` in a real browser and holds what it shows against the JSON of
// the same strategy.
//
// Needs: node, the npm package playwright-core, Chromium (CHROMIUM=/usr/bin/chromium), and the program (THETA=…).
// Run: node tests/tools/page.mjs [directory for screenshots]
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const theta = process.env.THETA ?? 'target/release/theta';
const shots = process.argv[2];
const dir = mkdtempSync(join(tmpdir(), 'theta-page-'));
const KQK = '8/8/8/3k4/8/8/8/KQ6 w - -';
const WALL = '4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -';

const run = (...args) => execFileSync(theta, args, { maxBuffer: 1 << 28 }).toString();
const strategies = (fen) => run('strategy', fen, '--format', 'json').trim().split('\n').map((line) => JSON.parse(line));
const page = (fen, name, ...more) => {
  const file = join(dir, name);
  run('strategy', fen, '--format', 'html', '-o', file, ...more);
  return `file://${file}`;
};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});

async function open(url, options = {}) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  const tab = await context.newPage();
  const faults = [];
  tab.on('pageerror', (error) => faults.push(String(error)));
  tab.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  tab.on('request', (request) => !request.url().startsWith('file:') && !request.url().startsWith('data:') && faults.push(request.url()));
  await tab.goto(url);
  await tab.waitForSelector('main:not([hidden])');
  return { tab, faults, context };
}

const line = (tab) => tab.locator('#line button').allTextContents();
const offered = (tab) => tab.locator('#choices button').evaluateAll((list) => list.map((b) => b.firstChild.textContent));
const shoot = async (tab, name) => shots && tab.screenshot({ path: join(shots, name), fullPage: true });

// Walks down one line, the reply of each step chosen by `pick`, by clicks; the page must show what the JSON says.
async function walk(tab, strategy, pick) {
  let node = strategy.nodes[0];
  const played = [];
  if (node.play) {
    assert.deepEqual(await offered(tab), [node.play.san]);
    await tab.locator('#choices button').first().click();
    played.push(node.play.san);
  }
  while (!node.end) {
    await tab.waitForFunction((n) => document.querySelectorAll('#line button').length === n, played.length);
    assert.deepEqual(await offered(tab), node.replies.map((r) => r.san));
    const k = pick(node.replies);
    await tab.locator('#choices button').nth(k).click();
    const reply = node.replies[k];
    node = strategy.nodes[reply.to];
    played.push(reply.san, node.play.san);
    await tab.waitForFunction((n) => document.querySelectorAll('#line button').length === n, played.length);
    assert.deepEqual(await line(tab), played);
  }
  return played;
}

let seed = 7;
const random = (n) => (seed = (seed * 48271) % 2147483647) % n;

// A win, walked by clicks to mate: the longest resistance and ten random lines.
const [win] = strategies(KQK);
const { tab, faults } = await open(page(KQK, 'kqk.html'));
await shoot(tab, 'start.png');
for (let k = 0; k < 11; k++) {
  const played = await walk(tab, win, (replies) => (k === 0 ? 0 : random(replies.length)));
  assert.match(played.at(-1), /#$/);
  assert.match(await tab.locator('#status').textContent(), /Black is mated\.$/);
  if (k === 0) {
    assert.equal(played.length, win.mate_plies);
    await shoot(tab, 'mate.png');
  }
  await tab.keyboard.press('Home');
}

// The same by keys alone.
await tab.keyboard.press('End');
assert.equal((await line(tab)).length, win.mate_plies);
await tab.keyboard.press('Home');
await tab.keyboard.press('ArrowRight');
await shoot(tab, 'replies.png');
await tab.keyboard.press('2');
await tab.waitForFunction(() => document.querySelectorAll('#line button').length === 3);
assert.equal((await line(tab))[1], win.nodes[0].replies[1].san);
await tab.keyboard.press('ArrowDown');
await tab.keyboard.press('Enter');
await tab.waitForFunction(() => document.querySelectorAll('#line button').length === 5);
await tab.keyboard.press('ArrowLeft');
assert.match(await tab.locator('#status').textContent(), /Black has \d+ repl/);

// The place is kept on a reload; the men stand where they belong from the first moment.
const walked = await line(tab);
await tab.reload();
await tab.waitForSelector('main:not([hidden])');
assert.deepEqual(await line(tab), walked);
assert.match(await tab.locator('#status').textContent(), /Black has \d+ repl/);
assert.equal(await tab.locator('cg-board piece').count(), 3);

// Where White is to move another move may be tried; the page says that it is not the strategy's.
await tab.keyboard.press('Home');
const click = async (...squares) => {
  const box = await tab.locator('cg-board').boundingBox();
  for (const square of squares) {
    const [file, rank] = [square.charCodeAt(0) - 97, Number(square[1]) - 1];
    await tab.mouse.click(box.x + ((file + 0.5) * box.width) / 8, box.y + ((7.5 - rank) * box.height) / 8);
  }
};
await click('a1', 'a2');
await tab.waitForFunction(() => /^a1–a2 is not what this strategy plays/.test(document.getElementById('status').textContent));
await shoot(tab, 'tried.png');

// And on the board itself: the reply is made by clicking its two squares.
await tab.keyboard.press('Home');
await tab.keyboard.press('ArrowRight');
const reply = win.nodes[0].replies[0];
await click(reply.uci.slice(0, 2), reply.uci.slice(2, 4));
await tab.waitForFunction(() => document.querySelectorAll('#line button').length === 3);
assert.equal((await line(tab))[1], reply.san);
assert.deepEqual(faults, []);

// A draw has two strategies; dark, and on a phone.
const holds = strategies(WALL);
const phone = await open(page(WALL, 'wall.html'), { colorScheme: 'dark', viewport: { width: 390, height: 844 } });
await walkSteps(phone.tab, holds[0], 12);
await shoot(phone.tab, 'phone-dark.png');
assert.ok(await phone.tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'no sideways scrolling');
await phone.tab.locator('#sides button').nth(1).click();
assert.deepEqual(await offered(phone.tab), holds[1].nodes[0].replies.map((r) => r.san));
assert.deepEqual(phone.faults, []);

async function walkSteps(tab, strategy, steps) {
  let [node, count] = [strategy.nodes[0], 1];
  await tab.locator('#choices button').first().click();
  for (let k = 0; k < steps; k++, count += 2) {
    await tab.waitForFunction((n) => document.querySelectorAll('#line button').length === n, count);
    assert.deepEqual(await offered(tab), node.replies.map((r) => r.san));
    const choice = random(node.replies.length);
    await tab.locator('#choices button').nth(choice).click();
    node = strategy.nodes[node.replies[choice].to];
  }
}

// A page within a limit says so, and its main line is whole.
const cut = await open(page(KQK, 'cut.html', '--size-limit', '8K'));
assert.match(await cut.tab.locator('#cut').textContent(), new RegExp(`of ${win.positions} positions`));
await cut.tab.keyboard.press('End');
assert.match(await cut.tab.locator('#status').textContent(), /is mated/);
await shoot(cut.tab, 'cut.png');

// What assistive technology is told.
const tree = await tab.locator('body').ariaSnapshot();
for (const words of ['heading "White wins', 'status', 'list "Moves to choose from"', 'toolbar "Walk"']) {
  assert.ok(tree.includes(words), `${words} in\n${tree}`);
}
await browser.close();
console.log('page: ok');
