// Files dropped anywhere on the page, and texts pasted into it: told apart by what is in them.

import { openCertificate } from './certificate.js';
import { byId } from './dom.js';
import { openPgn } from './game.js';
import { looksLikeFen, looksLikePgn } from './pgn.js';
import { setPosition } from './state.js';
import { bytes } from './words.js';

const MAGIC = 'theta-certificate';
const LARGEST = 200e6;

let notice = 0;
/** Says what is wrong above the page, for a while. */
export function complain(text) {
  const place = byId('notice');
  place.textContent = text;
  place.hidden = false;
  clearTimeout(notice);
  notice = setTimeout(() => { place.hidden = true; }, 12_000);
}

async function open(file, show) {
  if (file.size > LARGEST) {
    complain(`${file.name} has ${bytes(file.size)}: too large for this page.`);
    return;
  }
  const start = await file.slice(0, MAGIC.length).text();
  if (start === MAGIC) {
    show('certificate');
    openCertificate(file.name, await file.arrayBuffer());
    return;
  }
  openText(await file.text(), show, file.name);
}

function openText(text, show, name) {
  if (looksLikeFen(text)) setPosition(text.trim().split('\n')[0].slice(0, 512));
  else if (looksLikePgn(text)) {
    show('game');
    openPgn(text);
  } else complain(`${name} is no game, no certificate and no position.`);
}

export function buildDrop(show) {
  const veil = byId('drop');
  let inside = 0;
  const files = (event) => event.dataTransfer && [...event.dataTransfer.types].some(
    (type) => type === 'Files' || type === 'text/plain');
  document.addEventListener('dragenter', (event) => {
    if (!files(event)) return;
    inside += 1;
    veil.hidden = false;
    event.preventDefault();
  });
  document.addEventListener('dragleave', () => {
    inside = Math.max(0, inside - 1);
    if (inside === 0) veil.hidden = true;
  });
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    inside = 0;
    veil.hidden = true;
    const file = event.dataTransfer.files[0];
    if (file) open(file, show).catch((error) => complain(`${file.name}: ${error.message}`));
    else openText(event.dataTransfer.getData('text/plain'), show, 'What was dropped');
  });
  document.addEventListener('paste', (event) => {
    if (event.target.closest && event.target.closest('input, textarea')) return;
    const text = event.clipboardData.getData('text/plain');
    if (text.trim()) openText(text, show, 'What was pasted');
  });
}
