// Puts the page together.

import { info } from './api.js';
import { buildBoard } from './board.js';
import { buildCertificate } from './certificate.js';
import { button, byId, copy, h, put, tabs } from './dom.js';
import { buildDrop } from './drop.js';
import { buildEditor, edit, editing } from './editor.js';
import { openExamples, openHelp } from './help.js';
import { buildGame } from './game.js';
import { buildLogic } from './logic.js';
import { buildMoves } from './moves.js';
import {
  flip, goTo, listen, readLink, resume, setTab, state,
} from './state.js';
import { buildStrategy } from './strategy.js';
import { buildVerdict } from './verdict.js';
import { buildWhy } from './why.js';
import { buildLine } from './line.js';

const PARTS = [
  { id: 'strategy', name: 'Strategy', build: buildStrategy },
  { id: 'why', name: 'Why?', build: buildWhy },
  { id: 'logic', name: 'Logic', build: buildLogic },
  { id: 'game', name: 'Game', build: buildGame },
  { id: 'certificate', name: 'Certificate', build: buildCertificate },
];

function buildTools() {
  const step = (text, label, act) => button(text, { onclick: act }, label);
  const tools = {
    first: step('«', 'To the start (Home)', () => goTo(0)),
    back: step('‹', 'Take back (left arrow)', () => goTo(state.at - 1)),
    forward: step('›', 'Forward again (right arrow)', () => goTo(state.at + 1)),
    last: step('»', 'To the last move (End)', () => goTo(state.line.length)),
    flip: step('⇅', 'Turn the board (f)', () => flip()),
    edit: button('Edit', {
      'aria-pressed': 'false', 'aria-controls': 'editor', onclick: () => edit(!editing()),
    }, 'Edit the position (e)'),
    share: button('Link', {}, 'Copy a link to this position'),
  };
  for (const [id, b] of Object.entries(tools)) b.id = id;
  tools.share.addEventListener('click', () => copy(location.href, tools.share));
  const bar = byId('board-tools');
  bar.setAttribute('role', 'toolbar');
  bar.setAttribute('aria-label', 'Board');
  put(bar, Object.values(tools));
  const refresh = () => {
    tools.first.disabled = tools.back.disabled = state.at === 0;
    tools.forward.disabled = tools.last.disabled = state.at === state.line.length;
  };
  listen('position', refresh);
  refresh();
}

function buildParts() {
  const { list, choose } = tabs('Parts', PARTS.map((part) => {
    part.panel = h('section', { class: 'panel', hidden: true });
    return part;
  }), setTab);
  put(byId('parts'), list, PARTS.map((part) => part.panel));
  for (const part of PARTS) part.build(part.panel);
  return (id) => choose(PARTS.some((part) => part.id === id) ? id : 'strategy', false);
}

async function start() {
  buildTools();
  buildBoard();
  buildEditor();
  buildLine();
  buildVerdict();
  buildMoves();
  const show = buildParts();
  buildDrop(show);
  byId('examples').addEventListener('click', openExamples);
  byId('help').addEventListener('click', openHelp);
  window.addEventListener('hashchange', async () => {
    await resume();
    show(readLink().tab || 'strategy');
  });
  await resume();
  show(state.tab);
  document.documentElement.dataset.ready = 'yes';
  performance.mark('ready');
  info().then((answer) => {
    const foot = document.querySelector('footer p');
    foot.append(` theta ${answer.version}.`);
  }).catch(() => {});
}

start();
