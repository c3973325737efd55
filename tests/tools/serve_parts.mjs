// Each part of the page, by mouse, held against what the program prints.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, says, text } from './serve_browser.mjs';

const dir = mkdtempSync(join(tmpdir(), 'theta-serve-'));
export const KQK = '8/8/8/3k4/8/8/8/KQ6 w - -';
export const RETI = '7K/8/k1P5/7p/8/8/8/8 w - -';
const WALL = '4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -';
const MATE = '7k/8/5K2/8/8/8/6Q1/8 w - -';
/** Nothing decides this within the time of these tests. */
export const HARD = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -';
const GAME = `[Event "Study <script>alert(1)</script>"]
[White "Réti <img src=x onerror=alert(1)>"]
[Black "&amp; \\"quoted\\""]
[FEN "7K/8/k1P5/7p/8/8/8/8 w - - 0 1"]
[SetUp "1"]

1. Kg7 { </textarea><script>alert(2)</script> } h4 2. Kf6 Kb6 3. Ke5 h3 4. Kd6 h2 5. c7 Kb7 6. Kd5 *
`;

const json = (...args) => JSON.parse(run([...args, '--json']).split('\n')[0]);

/** Clicks squares of the board, White below. */
export async function click(tab, ...squares) {
  const box = await tab.locator('cg-board').boundingBox();
  for (const square of squares) {
    const [file, rank] = [square.charCodeAt(0) - 97, Number(square[1]) - 1];
    await tab.mouse.click(box.x + ((file + 0.5) * box.width) / 8,
      box.y + ((7.5 - rank) * box.height) / 8);
  }
}

export const fen = (tab) => tab.locator('#fen').inputValue();

async function verdict(tab) {
  await says(tab, '#verdict-title', /^White wins: mate in 9 moves$/);
  assert.match(await text(tab, '.formula'), /^Θ1 is satisfiable/);
  await says(tab, '.certificate', /Checked by the kernel: accepted/);
  const told = json('solve', KQK);
  for (const uci of told.best) {
    const button = tab.locator(`#moves [data-uci="${uci}"]`);
    await button.waitFor();
    await tab.waitForFunction((u) => document.querySelector(`#moves [data-uci="${u}"]`)
      .classList.contains('win'), uci);
  }
  const [file] = await Promise.all([
    tab.waitForEvent('download'), tab.locator('.certificate a').click(),
  ]);
  const path = join(dir, 'downloaded.cert');
  await file.saveAs(path);
  assert.equal(json('verify', path).claim, 'White wins in 17 plies');
}

/** What is proved is shown before the work is over. */
async function facts(tab) {
  await says(tab, '#verdict-title', /proved so far/);
  assert.match(await text(tab, '.facts'), /^(White|Black) /);
  await says(tab, '#verdict-title', /^White wins: mate in/);
}

async function moves(tab) {
  const told = json('moves', KQK).moves;
  await says(tab, '#moves [role=status]', /every value proved/);
  const shown = await tab.locator('#moves .move').evaluateAll((list) =>
    list.map((b) => [b.dataset.uci, ['win', 'draw', 'loss'].find((c) => b.classList.contains(c))]));
  assert.equal(shown.length, told.length);
  for (const move of told) {
    const [, kind] = shown.find(([uci]) => uci === move.uci);
    assert.equal(kind, move.value === 'white' ? 'win' : 'draw', move.san);
  }
  const plies = shown.map(([uci]) => told.find((m) => m.uci === uci).mate_plies ?? 999);
  assert.deepEqual(plies, [...plies].sort((a, b) => a - b), 'best first');
  // A click plays; back and forth; the board itself; the address holds it all.
  await tab.locator('#moves .move').first().click();
  await tab.waitForFunction(() => document.querySelector('#fen').value.includes(' b '));
  const after = await fen(tab);
  await says(tab, '#verdict-title', /White wins/);
  await tab.locator('#back').click();
  await tab.waitForFunction((f) => document.querySelector('#fen').value === f, KQK);
  await tab.locator('#forward').click();
  await tab.waitForFunction((f) => document.querySelector('#fen').value === f, after);
  await tab.reload();
  await tab.waitForSelector('html[data-ready]');
  assert.equal(await fen(tab), after);
  await tab.locator('#first').click();
  await tab.waitForFunction((f) => document.querySelector('#fen').value === f, KQK);
  await tab.locator('#moves [data-uci=b1b7]').waitFor();
  await click(tab, 'b1', 'b7');
  await tab.waitForFunction(() => document.querySelector('#fen').value.startsWith('8/1Q6/'));
  await tab.locator('#flip').click();
  assert.ok(await tab.locator('#board.orientation-black, #board .orientation-black').count() > 0
    || await tab.evaluate(() => document.querySelector('[data-at="00"]').dataset.square === 'h1'));
  await tab.locator('#flip').click();
}

async function editor(tab) {
  await tab.locator('#edit').click();
  await tab.locator('#editor >> text=Empty board').click();
  const put = async (letter, square) => {
    await tab.locator(`#editor [data-hand="${letter}"]`).click();
    await click(tab, square);
  };
  await put('K', 'e1');
  await put('R', 'h1');
  await put('k', 'e8');
  await put('P', 'e5');
  await put('p', 'd5');
  await put('q', 'a8');
  await put('', 'a8');
  await tab.locator('#editor label:has-text("short") input').first().check();
  await tab.locator('#editor select').selectOption('d6');
  await tab.locator('text=Use this position').click();
  await tab.waitForFunction(() =>
    document.querySelector('#fen').value === '4k3/8/8/3pP3/8/8/8/4K2R w K d6');
  await says(tab, '#moves', /exd6/);
  await says(tab, '#moves', /O-O/);
  // A man moved to promotion: a choice of four.
  await tab.locator('#fen').fill('8/P6k/8/8/8/8/8/K7 w - - 0 1');
  await tab.locator('.fen-form button').click();
  await says(tab, '#moves', /a8=Q/);
  await click(tab, 'a7', 'a8');
  await tab.locator('.chooser [aria-label=Knight]').click();
  await tab.waitForFunction(() => document.querySelector('#fen').value.startsWith('N7/'));
  // A broken FEN is said, and the board stays usable.
  for (const bad of ['8/8/8/8/8/8/8/8 w - -', 'nonsense', '9/8/8/8/8/8/8/8 w - -',
    '8/8/8/8/8/8/8/8 w - - <script>alert(1)</script>', 'K7/8/8/8/8/8/8/7K w - -']) {
    await tab.locator('#fen').fill(bad);
    await tab.locator('.fen-form button').click();
    await says(tab, '#verdict-title', /^Not a position$/);
    await says(tab, '#verdict .facts .fault', /.{6}/);
  }
  await tab.locator('#fen').fill(KQK);
  await tab.locator('.fen-form button').click();
  await says(tab, '#verdict-title', /White wins/);
}

async function strategy(tab) {
  const node = JSON.parse(run(['strategy', KQK, '--format', 'json']).split('\n')[0]).nodes[0];
  await says(tab, '#panel-strategy .status', new RegExp(`White plays ${node.play.san}`));
  const offered = () => tab.locator('#panel-strategy .choices button')
    .evaluateAll((list) => list.map((b) => b.firstChild.textContent));
  assert.deepEqual((await offered()).sort(), node.replies.map((r) => r.san).sort());
  await tab.locator('#panel-strategy .choices button').first().click();
  await says(tab, '#panel-strategy .line', /2\. /);
  assert.ok(await tab.locator('.banner').isVisible());
  await tab.locator('#panel-strategy >> text=Longest resistance').click();
  await says(tab, '#panel-strategy .status', /Black is mated/);
  assert.equal(await tab.locator('#panel-strategy .line .ply').count(), 17);
  // The tree.
  const rows = () => tab.locator('#panel-strategy [role=treeitem]').count();
  const before = await rows();
  assert.equal(before, 1 + node.replies.length);
  await tab.locator('#panel-strategy >> text=Unfold a level').click();
  await tab.waitForFunction((n) =>
    document.querySelectorAll('#panel-strategy [role=treeitem]').length > n, before + 5);
  await tab.locator('#panel-strategy [role=treeitem] [role=treeitem] .label').first().click();
  await says(tab, '.banner', /White’s strategy/);
  const [file] = await Promise.all([
    tab.waitForEvent('download'), tab.locator('#panel-strategy a:has-text("PGN")').click(),
  ]);
  const path = join(dir, 'strategy.pgn');
  await file.saveAs(path);
  assert.match(readFileSync(path, 'utf8'), /^\[Event/);
  await tab.locator('text=Back to the position').click();
  assert.equal(await fen(tab), KQK);
  await tab.locator('#panel-strategy [aria-label="To the start of the walk"]').click();
  await tab.locator('#panel-strategy .choices button').first().click();
}

async function draw(tab) {
  await says(tab, '#verdict-title', /^A draw/);
  await says(tab, '#panel-strategy', /White holds.*Black holds/);
  await tab.locator('#panel-strategy button:has-text("Black holds")').click();
  await says(tab, '#panel-strategy .status', /White has \d+ repl/);
  await tab.locator('#panel-strategy >> text=Longest resistance').click();
  await tab.waitForTimeout(300);
}

async function why(tab) {
  const set = async (value) => {
    await tab.locator('#panel-why .slider input').first().fill(value);
    await tab.locator('#panel-why .slider input').first().dispatchEvent('change');
  };
  await tab.waitForSelector('#panel-why .aims button');
  await set('8');
  const told = json('subgoals', RETI, '--horizon', '8');
  await tab.waitForFunction((n) => document.querySelectorAll('.aims button').length === n,
    told.subgoals.length);
  const claims = await tab.locator('.aims b').allTextContents();
  assert.deepEqual(claims, told.subgoals.map((aim) => aim.claim));
  await tab.locator('.aims button:has-text("promotes the pawn c6")').click();
  const arrows = () => tab.locator('#board svg line').count();
  await tab.waitForFunction(() => document.querySelectorAll('#board svg line').length > 0);
  const all = await arrows();
  await tab.locator('#panel-why .detail .slider input').fill('1');
  await tab.waitForFunction((n) => document.querySelectorAll('#board svg line').length < n, all);
  await tab.locator('#panel-why .detail .slider input').fill('2');
  await says(tab, '.proof-tree', /holds.*moves.*ends of lines/, 180_000);
  await tab.locator('.proof-tree [role=treeitem] .label').nth(1).click();
  await says(tab, '.banner', /proof|Ends here/);
  await tab.locator('text=Back to the position').click();
  await tab.locator('.aims button:has-text("promotes the pawn c6")').click();
}

async function logic(tab) {
  const whole = run(['formula', '--theta', '1', '--form', 'sketch', '--syntax', 'unicode', MATE]);
  await says(tab, '.formula-text', /Init ∧ Rules1 ∧ Aim1|Init = P0/);
  const shown = await text(tab, '.formula-text');
  assert.equal(shown.slice(0, 200), whole.slice(0, 200));
  await tab.locator('#panel-logic >> text=Put it').click();
  await says(tab, '#panel-logic .big', /It holds/);
  assert.ok(await tab.locator('.states .state').count() > 0, 'states are shown');
  await tab.locator('.states .state').first().click();
  await says(tab, '.banner', /where the aim holds/);
  const decide = async (formula, pattern) => {
    await tab.locator('[aria-label=Formula]').fill(formula);
    await tab.locator('[aria-label=Formula]').press('Enter');
    await says(tab, '#panel-logic details:last-of-type .big', pattern);
  };
  await decide('AF p & EG ~p', /^Unsatisfiable$/);
  assert.ok(await tab.locator('.core li').count() > 0, 'a reason is given');
  await tab.locator('[aria-label=Formula]').fill('<b>&</b>');
  await tab.locator('[aria-label=Formula]').press('Enter');
  await says(tab, '#panel-logic details:last-of-type .task.fault', /line 1, column 1/);
  await decide('AG EF p & EG ~p', /^Satisfiable$/);
  const states = await tab.locator('.graph .node').count();
  assert.ok(states >= 2);
  await tab.locator('.graph .node').last().hover();
  await says(tab, '.holds', /Subformulas true here/);
}

async function game(tab) {
  await tab.locator('[aria-label="Moves, PGN"]').fill(GAME);
  await tab.locator('#panel-game button:has-text("Open")').click();
  await says(tab, '#panel-game h3', /Réti <img src=x onerror=alert\(1\)> – &amp; "quoted"/);
  await says(tab, '#panel-game', /12 of 12 positions proved/);
  await says(tab, '.changes', /6\. Kd5.*a draw → Black wins/);
  await tab.locator('.game-move').nth(3).click();
  await tab.waitForFunction(() => document.querySelector('#fen').value.startsWith('8/8/k1P2K2/'));
  await tab.keyboard.press('ArrowRight');
  await tab.waitForFunction(() => document.querySelector('#fen').value.startsWith('8/8/1kP2K2/'));
  // A reload has the game again, at the same place, without work done twice.
  await tab.reload();
  await tab.waitForSelector('html[data-ready]');
  await says(tab, '#panel-game', /12 of 12 positions proved/);
  assert.equal(await tab.locator('.game-move[aria-current]').getAttribute('data-ply'), '4');
  await tab.locator('.changes button').click();
}

async function certificate(tab) {
  const path = join(dir, 'wall.cert');
  run(['solve', WALL, '--cert', path]);
  await tab.locator('#certificate-file').setInputFiles(path);
  await says(tab, '#panel-certificate .big', /Accepted/);
  assert.match(await text(tab, '#panel-certificate .answer'), /draw/);
  await tab.waitForFunction((f) => document.querySelector('#fen').value === f, WALL);
  await tab.locator('#panel-certificate .choices button').first().click();
  await says(tab, '.banner', /White’s strategy/);
  const bytes = readFileSync(path);
  bytes[bytes.length - 20] ^= 1;
  const broken = join(dir, '<img src=x onerror=alert(1)>.cert');
  writeFileSync(broken, bytes);
  await tab.locator('#certificate-file').setInputFiles(broken);
  await says(tab, '#panel-certificate .answer', /Rejected|checksum|certificate/);
  assert.ok(await tab.locator('#panel-certificate .fault:visible').count() > 0);
  await tab.locator('#certificate-file').setInputFiles(path);
  await says(tab, '#panel-certificate .big', /Accepted/);
}

export const parts = [
  { name: 'verdict', fen: KQK, walk: verdict },
  // A mate in six, which a search finds long before it is proved the shortest.
  { name: 'facts', fen: '2Nk4/R7/4B3/7p/7K/p7/2b5/8 w - -', walk: facts },
  { name: 'moves', fen: KQK, walk: moves },
  { name: 'editor', fen: RETI, walk: editor },
  { name: 'strategy', fen: KQK, walk: strategy },
  { name: 'draw', fen: WALL, walk: draw },
  { name: 'why', fen: RETI, part: 'why', walk: why },
  { name: 'logic', fen: MATE, part: 'logic', walk: logic },
  { name: 'game', fen: RETI, part: 'game', walk: game },
  { name: 'certificate', fen: KQK, part: 'certificate', walk: certificate },
];
