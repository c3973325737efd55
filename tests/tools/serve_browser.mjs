// Starts `theta serve` and a browser for serve.mjs and serve_pictures.mjs, and hears every fault of
// a page: errors, refusals of the content security policy, requests to anywhere else.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

export const theta = process.argv[2] ?? process.env.THETA ?? 'target/release/theta';

/** What the program prints; an exit code of 1 or 3 is an answer too. */
export function run(args, input) {
  try {
    return execFileSync(theta, args, { input, maxBuffer: 1 << 28, stdio: 'pipe' }).toString();
  } catch (error) {
    if (error.status === 1 || error.status === 3) return error.stdout.toString();
    throw error;
  }
}

/** The server on a free port: its address, and how to end it. */
export async function serve(...more) {
  const child = spawn(theta, ['serve', '--bind', '127.0.0.1:0', ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const gone = once(child, 'exit');
  const [line] = await Promise.race([once(lines, 'line'), gone.then(() => {
    throw new Error(`${theta} serve ended at once`);
  })]);
  const url = line.match(/http:\S+/)[0];
  return {
    url,
    end: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await gone;
    },
  };
}

export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync',
    '--disable-background-networking', '--disable-component-update'],
});

/** A tab of its own. `faults` has what went wrong in it; `allow` names faults that are meant. */
export async function open(browser, url, options = {}) {
  const { width = 1600, height = 1000, scheme = 'light', ...more } = options;
  const context = await browser.newContext({
    viewport: { width, height }, colorScheme: scheme, reducedMotion: 'reduce',
    acceptDownloads: true, ...more,
  });
  const tab = await context.newPage();
  const faults = [];
  tab.on('pageerror', (error) => faults.push(`error: ${error.stack}`));
  tab.on('console', (message) => {
    // A refusal that the page shows is no fault: browsers log every answer from 400 on.
    if (message.type() === 'error' && !/status of (400|404|413|503)/.test(message.text())) {
      faults.push(`console: ${message.text()}`);
    }
  });
  tab.on('request', (request) => {
    if (!request.url().startsWith(new URL(url).origin) && !/^(data|blob):/.test(request.url())) {
      faults.push(`request: ${request.url()}`);
    }
  });
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
  });
  await tab.goto(url);
  await tab.waitForSelector('html[data-ready]');
  return { tab, faults, context };
}

/** Waits until the element's text matches. */
export const says = (tab, selector, pattern, timeout = 60_000) => tab.waitForFunction(
  ([where, source]) => {
    const found = document.querySelector(where);
    return found && new RegExp(source, 's').test(found.textContent);
  }, [selector, pattern.source], { timeout });

export const text = (tab, selector) => tab.locator(selector).first().textContent();

/** The address of a position, and of a part. */
export const at = (base, fen, part) =>
  `${base}#fen=${fen.replace(/ /g, '_')}${part ? `&tab=${part}` : ''}`;
