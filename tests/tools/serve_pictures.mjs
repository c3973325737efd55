// Makes the pictures of the page that README.md and docs/guide.md show.
//
// Those in docs/pictures were reduced to 200 colours afterwards.
//
// Run: node tests/tools/serve_pictures.mjs [theta] [directory]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { at, launch, open, says, serve } from './serve_browser.mjs';

const directory = process.argv[3] ?? 'pictures';
const SAAVEDRA = '8/8/1KP5/3r4/8/8/8/k7 w - -';
const MATE = '7k/8/5K2/8/8/8/6Q1/8 w - -';
const LONG = 180_000;

const horizon = async (tab, plies) => {
  const slider = tab.locator('#panel-why .slider input').first();
  await slider.fill(plies);
  await slider.dispatchEvent('change');
};

const GAME = `[White "Réti's study"]
[Black "with a slip"]
[FEN "7K/8/k1P5/7p/8/8/8/8 w - - 0 1"]

1. Kg7 h4 2. Kf6 Kb6 3. Ke5 h3 4. Kd6 h2 5. c7 Kb7 6. Kd5 h1=Q+ *
`;

/** Name, address, what is done before the picture, and the height of the window. */
const pictures = [
  ['serve', SAAVEDRA, 'why', async (tab) => {
    await says(tab, '.certificate', /Checked by the kernel/, LONG);
    await says(tab, '#moves', /every value proved/);
    await says(tab, '.proof-tree', /White wins/, LONG);
    await tab.waitForSelector('#panel-why .aims button', { timeout: LONG });
  }, 1120],
  ['serve-strategy', SAAVEDRA, 'strategy', async (tab) => {
    await tab.waitForSelector('#panel-strategy .tree li li', { timeout: LONG });
    await tab.locator('#panel-strategy .choices button:has-text("Rd6+")').click();
    await tab.waitForTimeout(600);
    await tab.locator('#panel-strategy .choices button:has-text("Rd5+")').click();
    await tab.waitForTimeout(600);
  }, 1000],
  ['serve-why', '7K/8/k1P5/7p/8/8/8/8 w - -', 'why', async (tab) => {
    await tab.waitForSelector('#panel-why .aims button');
    await horizon(tab, '8');
    await says(tab, '#panel-why', /’s aims within 4 moves/, LONG);
    await tab.locator('.aims button:has-text("promotes the pawn c6")').click();
    await says(tab, '.proof-tree', /White holds/, LONG);
    await says(tab, '#panel-why', /What ended its lines/);
    await tab.waitForSelector('#verdict .running', { state: 'hidden', timeout: LONG });
    if (await tab.locator('#again').isVisible()) {
      await tab.locator('#time').selectOption('60');
      await tab.locator('#again').click();
    }
    await says(tab, '.certificate', /Checked by the kernel/, LONG);
  }, 1300],
  ['serve-logic', MATE, 'logic', async (tab) => {
    await says(tab, '.formula-text', /Aim1/, LONG);
    await tab.locator('#panel-logic >> text=Put it').click();
    await says(tab, '#panel-logic .big', /It holds/, LONG);
    await tab.locator('#panel-logic summary').last().click();
  }, 1250],
  ['serve-sat', MATE, 'logic', async (tab) => {
    await tab.locator('#panel-logic summary').nth(0).click();
    await tab.locator('#panel-logic summary').nth(1).click();
    await tab.locator('[aria-label=Formula]').fill(
      'AG (req -> AF ack) & EF req & AG EX T & AG (ack -> AX ~ack) & EG ~req & ~req');
    await tab.locator('[aria-label=Formula]').press('Enter');
    await says(tab, '#panel-logic details:last-of-type .big', /^Satisfiable/);
  }, 1000],
  ['serve-game', SAAVEDRA, 'game', async (tab) => {
    await tab.locator('[aria-label="Moves, PGN"]').fill(GAME);
    await tab.locator('#panel-game button:has-text("Open")').click();
    await says(tab, '#panel-game', /13 of 13 positions proved/, LONG);
    await tab.locator('.changes button').first().click();
    await says(tab, '#moves', /every value proved/, LONG);
    await tab.waitForSelector('#verdict .running', { state: 'hidden', timeout: LONG });
  }, 900],
  ['serve-editor', SAAVEDRA, 'strategy', async (tab) => {
    await says(tab, '.certificate', /Checked by the kernel/, LONG);
    await tab.locator('#edit').click();
    await tab.locator('#editor [data-hand=N]').click();
  }, 1080],
];

mkdirSync(directory, { recursive: true });
const only = process.argv[4];
const server = await serve();
const browser = await launch();
for (const [name, fen, part, before, height] of pictures) {
  if (only && only !== name) continue;
  const { tab, context } = await open(browser, at(server.url, fen, part), { height });
  await before(tab);
  await tab.mouse.move(2, 2);
  await tab.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
  await tab.waitForTimeout(400);
  await tab.screenshot({ path: join(directory, `${name}.png`) });
  console.log(name);
  await context.close();
}
if (!only || only === 'serve-phone') {
  const { tab } = await open(browser, at(server.url, SAAVEDRA, 'strategy'), {
    width: 390, height: 844, scheme: 'dark', deviceScaleFactor: 2,
  });
  await says(tab, '.certificate', /Checked by the kernel/, LONG);
  await tab.screenshot({ path: join(directory, 'serve-phone.png') });
}
await browser.close();
await server.end();
