// Walks each part of the page of `theta serve` in a real browser, at two widths and once by keys
// alone, light and dark; holds what it shows against what the program prints; tries to break it.
//
// Needs: node, the npm package playwright-core, Chromium (CHROMIUM=/usr/bin/chromium).
// Run: node tests/tools/serve.mjs [theta] [directory for screenshots]
import { mkdirSync } from 'node:fs';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { at, launch, open, serve } from './serve_browser.mjs';
import { breaking } from './serve_breaking.mjs';
import { keys } from './serve_keys.mjs';
import { parts } from './serve_parts.mjs';

const pictures = process.argv[3];
const only = process.argv[4];
if (pictures) mkdirSync(pictures, { recursive: true });

const server = await serve();
const browser = await launch();

async function one(name, fen, part, walk, options) {
  const { tab, faults, context } = await open(browser, at(server.url, fen, part), options);
  const place = `${name} at ${options.width}, ${options.scheme}`;
  try {
    await walk(tab, { browser, server, context, wide: options.width > 800 });
    assert.deepEqual(faults, [], `${place}: faults`);
    assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      `${place}: no sideways scrolling`);
    const nameless = await tab.evaluate(() => [...document.querySelectorAll('button, a, input, '
      + 'select, textarea, [role=tab]')].filter((e) => e.checkVisibility()
      && !(e.getAttribute('aria-label') || e.textContent.trim() || (e.labels && e.labels.length)))
      .map((e) => e.outerHTML));
    assert.deepEqual(nameless, [], `${place}: everything has a name`);
    console.log(`${place}: ok`);
  } catch (error) {
    console.error(`${place}: ${await tab.url()}`);
    const path = join(pictures ?? '', `fault-${name}.png`);
    if (pictures) await tab.screenshot({ path, fullPage: true });
    throw error;
  } finally {
    if (pictures) {
      // The board keeps its place while one scrolls; a picture is taken from the top.
      await tab.evaluate(() => scrollTo(0, 0)).catch(() => {});
      await tab.screenshot({
        path: join(pictures, `${name}-${options.width}-${options.scheme}.png`), fullPage: true,
      }).catch(() => {});
    }
    await context.close();
  }
}

/** How long from the first byte that is asked for until the page can be used, in milliseconds. */
async function ready() {
  const times = [];
  for (let k = 0; k < 5; k++) {
    const { tab, context } = await open(browser, server.url);
    times.push(await tab.evaluate(() => performance.getEntriesByName('ready')[0].startTime));
    await context.close();
  }
  times.sort((a, b) => a - b);
  console.log(`page ready in ${times.map((t) => Math.round(t)).join(', ')} ms (nothing cached)`);
}

try {
  if (!only) await ready();
  for (const { name, fen, part, walk } of [...parts, ...keys]) {
    if (only && name !== only) continue;
    await one(name, fen, part, walk, { width: 1600, height: 1000, scheme: 'light' });
    await one(name, fen, part, walk, { width: 390, height: 844, scheme: 'dark' });
  }
  for (const { name, fen, part, walk } of breaking) {
    if (only && name !== only) continue;
    await one(name, fen, part, walk, { width: 1600, height: 1000, scheme: 'dark' });
  }
} finally {
  await browser.close();
  await server.end();
}
console.log('serve: ok');
