// The page without a mouse: every step is a key.
import assert from 'node:assert/strict';
import { says, text } from './serve_browser.mjs';
import { KQK, RETI, fen } from './serve_parts.mjs';

const label = (tab) => tab.evaluate(() => document.activeElement.getAttribute('aria-label')
  || document.activeElement.textContent.trim());

/** Tabs on until what has the focus is called so. */
async function tabTo(tab, pattern, most = 120) {
  for (let k = 0; k < most; k++) {
    await tab.keyboard.press('Tab');
    if (pattern.test(await label(tab))) return;
  }
  assert.fail(`${pattern} is not reached by the tab key`);
}

async function play(tab) {
  // A move by typing, a move on the board, both taken back.
  await says(tab, '#verdict-title', /White wins/);
  await tab.keyboard.press('m');
  await tab.keyboard.type('kb2');
  await tab.keyboard.press('Enter');
  await tab.waitForFunction(() => document.querySelector('#fen').value.includes('/1K6/1Q6 b'));
  await says(tab, '#moves [role=status]', /proved/);
  await tab.keyboard.type('Qxe9');
  await tab.keyboard.press('Enter');
  await says(tab, '.move-form .fault', /not legal/);
  await tab.keyboard.press('Tab');
  await tab.keyboard.press('b');
  assert.match(await label(tab), /^e1/);
  for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowLeft']) {
    await tab.keyboard.press(key);
  }
  assert.equal(await label(tab), 'd5, black king');
  await tab.keyboard.press('Enter');
  assert.equal(await label(tab), 'd5, black king, selected');
  await tab.keyboard.press('ArrowDown');
  assert.equal(await label(tab), 'd4, empty, can be moved to');
  await tab.keyboard.press('Enter');
  await tab.waitForFunction(() => document.querySelector('#fen').value.startsWith('8/8/8/8/3k4/'));
  await tab.keyboard.press('Tab');
  await tab.keyboard.press('ArrowLeft');
  await tab.keyboard.press('ArrowLeft');
  await tab.waitForFunction((f) => document.querySelector('#fen').value === f, KQK);
  // The best move, by the list.
  await says(tab, '#moves [role=status]', /every value proved/);
  await tabTo(tab, /mate in 9: wins/);
  await tab.keyboard.press('Enter');
  await tab.waitForFunction(() => document.querySelector('#fen').value.includes(' b '));
}

async function edit(tab) {
  await tab.keyboard.press('e');
  await tab.keyboard.press('b');
  await tab.keyboard.press('R');
  await tab.keyboard.press('ArrowUp');
  await tab.keyboard.press('q');
  await tab.keyboard.press('Delete');
  await tabTo(tab, /^Use this position$/);
  await tab.keyboard.press('Enter');
  await tab.waitForFunction(() => document.querySelector('#fen').value.includes('/4R3 w'));
}

async function parts(tab) {
  await says(tab, '#verdict-title', /White wins/);
  await tabTo(tab, /^Strategy$/);
  await tabTo(tab, /^K\w+ #\d+, king \w+, mate in/);
  await tab.keyboard.press('Enter');
  await says(tab, '.banner', /White’s strategy/);
  // The tree is one stop; arrows act inside.
  await tab.locator('#panel-strategy .tree [tabindex="0"]').waitFor();
  for (let k = 0; k < 60; k++) {
    await tab.keyboard.press('Tab');
    if (await tab.evaluate(() => document.activeElement.getAttribute('role') === 'treeitem')) break;
  }
  await tab.keyboard.press('ArrowDown');
  await tab.keyboard.press('ArrowRight');
  await tab.waitForFunction(() => document.activeElement.getAttribute('aria-expanded') === 'true');
  await tab.keyboard.press('ArrowDown');
  await tab.keyboard.press('Enter');
  await says(tab, '.banner', /White’s strategy/);
  // From tab to tab.
  await tab.locator('#tab-strategy').focus();
  for (const [id, pattern] of [['why', /Aims/], ['logic', /playground/], ['game', /PGN/],
    ['certificate', /anyone can check/]]) {
    await tab.keyboard.press('ArrowRight');
    assert.equal(await tab.evaluate(() => document.activeElement.id), `tab-${id}`);
    await says(tab, `#panel-${id}`, pattern);
  }
  // A dialog opens, closes and gives the focus back.
  await tab.locator('#help').focus();
  await tab.keyboard.press('Enter');
  await tab.locator('dialog[open]').waitFor();
  await tab.keyboard.press('Escape');
  assert.equal(await tab.evaluate(() => document.activeElement.id), 'help');
  // Dark and light.
  const before = await tab.evaluate(() => document.documentElement.dataset.theme);
  await tab.keyboard.press('Tab');
  await tab.keyboard.press('Enter');
  assert.notEqual(await tab.evaluate(() => document.documentElement.dataset.theme), before);
}

async function spoken(tab) {
  await says(tab, '#verdict-title', /White wins/);
  const tree = await tab.locator('body').ariaSnapshot();
  for (const words of ['heading "White wins: mate in 9 moves"', 'region "Board"', 'tablist "Parts"',
    'grid "Board, by arrow keys"', 'gridcell "d5, black king"', 'toolbar "Board"',
    'tab "Strategy" [selected]']) {
    assert.ok(tree.includes(words), `${words} in\n${tree}`);
  }
  assert.match(await text(tab, '#board-words'),
    /White: king a1, queen b1\. Black: king d5\. White to move\./);
  assert.equal(await fen(tab), KQK);
}

export const keys = [
  { name: 'keys-play', fen: KQK, walk: play },
  { name: 'keys-edit', fen: RETI, walk: edit },
  { name: 'keys-parts', fen: KQK, walk: parts },
  { name: 'spoken', fen: KQK, walk: spoken },
];
