'use strict';
// Walks a strategy: the owner's move is played, the opponent's replies are chosen. The data is described in html.rs.
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const el = (id) => document.getElementById(id);
  const NAMES = { k: 'king', q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn' };
  const LETTERS = Object.fromEntries(Object.entries(NAMES).map(([letter, name]) => [name, letter]));
  const other = (side) => (side === 'white' ? 'black' : 'white');
  const capital = (text) => text[0].toUpperCase() + text.slice(1);
  const plural = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;
  const pause = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 450;

  let book = data.books[0];
  let steps = [];
  let at = 0;
  let selected = 0;
  let timer = 0;
  let flipped = false;

  const play = (n) => ({ uci: book.nodes[n][0], san: book.nodes[n][1] });
  const plies = (n) => book.nodes[n][2];
  const end = (n) => book.nodes[n][3];
  const replies = (n) => book.nodes[n][4].map(([uci, san, to, left]) => ({ uci, san, to, plies: left }));
  const carried = (n) => n >= 0 && n < book.nodes.length;

  // The position ----------------------------------------------------------------------------------------------------

  function parseFen(fen) {
    const [board, turn] = fen.split(' ');
    const pieces = new Map();
    board.split('/').forEach((row, down) => {
      let file = 0;
      for (const c of row) {
        if (c >= '1' && c <= '8') file += Number(c);
        else {
          const color = c === c.toLowerCase() ? 'black' : 'white';
          pieces.set('abcdefgh'[file] + (8 - down), { role: NAMES[c.toLowerCase()], color });
          file += 1;
        }
      }
    });
    return { pieces, turn: turn === 'w' ? 'white' : 'black' };
  }

  // A legal move in UCI notation; castling is the king's two-square step.
  function apply(position, uci) {
    const pieces = new Map(position.pieces);
    const [from, to] = [uci.slice(0, 2), uci.slice(2, 4)];
    const piece = pieces.get(from);
    if (piece.role === 'pawn' && from[0] !== to[0] && !pieces.has(to)) pieces.delete(to[0] + from[1]);
    if (piece.role === 'king' && Math.abs(from.charCodeAt(0) - to.charCodeAt(0)) === 2) {
      const [corner, beside] = to[0] === 'g' ? ['h', 'f'] : ['a', 'd'];
      pieces.set(beside + to[1], pieces.get(corner + to[1]));
      pieces.delete(corner + to[1]);
    }
    pieces.delete(from);
    pieces.set(to, uci[4] ? { role: NAMES[uci[4]], color: piece.color } : piece);
    return { pieces, turn: other(position.turn) };
  }

  function boardFen(position) {
    const rows = [];
    for (let rank = 8; rank >= 1; rank--) {
      let row = '';
      let empty = 0;
      for (const file of 'abcdefgh') {
        const piece = position.pieces.get(file + rank);
        if (!piece) empty += 1;
        else {
          const letter = LETTERS[piece.role];
          row += (empty || '') + (piece.color === 'white' ? letter.toUpperCase() : letter);
          empty = 0;
        }
      }
      rows.push(row + (empty || ''));
    }
    return rows.join('/');
  }

  function inWords(position) {
    const side = (color) => {
      const men = [...position.pieces].filter(([, piece]) => piece.color === color);
      const order = Object.values(NAMES);
      men.sort((a, b) => order.indexOf(a[1].role) - order.indexOf(b[1].role) || (a[0] < b[0] ? -1 : 1));
      return `${capital(color)}: ${men.map(([square, piece]) => `${piece.role} ${square}`).join(', ')}.`;
    };
    return `${side('white')} ${side('black')} ${capital(position.turn)} to move.`;
  }

  function spoken(san) {
    if (san.startsWith('O-O-O')) return 'castles long' + spoken(san.slice(5));
    if (san.startsWith('O-O')) return 'castles short' + spoken(san.slice(3));
    const words = { K: 'king ', Q: 'queen ', R: 'rook ', B: 'bishop ', N: 'knight ', x: ' takes ', '=': ' promotes to ' };
    return [...san].map((c) => words[c] || { '+': ', check', '#': ', mate' }[c] || c).join('');
  }

  // The walk --------------------------------------------------------------------------------------------------------

  // A step is a position on the way: `owner` says whether the owner's move of `node` is next, else replies are.
  const now = () => steps[at];

  function choices(step) {
    if (step.owner) return end(step.node) && !play(step.node).uci ? [] : [{ ...play(step.node), to: step.node }];
    return replies(step.node);
  }

  function start() {
    clearTimeout(timer);
    const position = parseFen(data.fen);
    steps = [{ position, node: 0, owner: Boolean(play(0).uci), san: '', uci: '' }];
    at = 0;
  }

  function begin() {
    start();
    show();
  }

  // The address carries the place, so that it is there again on a reload and can be passed on: the number of the
  // strategy, the moves, and how many of them are shown.
  function address() {
    const moves = steps.slice(1).map((step) => step.uci).join('.');
    return moves ? `#${data.books.indexOf(book)}.${at}.${moves}` : '#';
  }

  // Goes to the place of the address, as far as its moves are there.
  function resume() {
    const [number, place, ...moves] = location.hash.slice(1).split('.');
    book = data.books[Number(number)] || data.books[0];
    start();
    for (const uci of moves) {
      const choice = choices(now()).find((c) => c.uci === uci);
      if (!choice || !choose(choice)) break;
    }
    at = Math.min(Number(place) || 0, steps.length - 1);
  }

  function choose(choice) {
    const step = now();
    if (!step.owner && !carried(choice.to)) return false;
    clearTimeout(timer);
    const position = apply(step.position, choice.uci);
    const owner = !step.owner && Boolean(play(choice.to).uci);
    steps = steps.slice(0, at + 1);
    steps.push({ position, node: choice.to, owner, san: choice.san, uci: choice.uci });
    at += 1;
    return true;
  }

  function pick(choice) {
    if (!choose(choice)) return;
    show();
    if (now().owner) timer = setTimeout(() => forward(), pause);
  }

  function forward() {
    clearTimeout(timer);
    if (at + 1 < steps.length) {
      at += 1;
      if (now().owner && at + 1 < steps.length) at += 1;
      show();
      return;
    }
    const choice = choices(now())[selected];
    if (choice) pick(choice);
  }

  function back() {
    clearTimeout(timer);
    if (at === 0) return;
    at -= 1;
    // The owner's move is played for the reader: back to where there was a choice.
    if (now().owner && at > 0) at -= 1;
    show();
  }

  // The longest resistance to its end; a strategy that holds has none, so it stops where a position comes again.
  function toEnd() {
    clearTimeout(timer);
    at = steps.length - 1;
    const seen = new Set();
    for (;;) {
      const choice = choices(now())[0];
      if (!choice || (now().owner && seen.has(choice.to))) break;
      if (now().owner) seen.add(choice.to);
      if (!choose(choice)) break;
    }
    show();
  }

  // What is shown ---------------------------------------------------------------------------------------------------

  const board = Chessboard.Chessground(el('board'), {
    fen: data.fen.split(' ')[0],
    animation: { enabled: pause > 0, duration: 200 },
    drawable: { enabled: false },
    premovable: { enabled: false },
    movable: { free: false, showDests: true, events: { after: onBoard } },
  });

  // A man was moved on the board: of several promotions the first is taken (the others are buttons).
  function onBoard(from, to) {
    const choice = choices(now()).find((c) => c.uci.startsWith(from + to) && (now().owner || carried(c.to)));
    const tried = now().owner && choices(now())[0];
    if (choice) pick(choice);
    else show();
    if (!choice && tried) {
      el('status').textContent = `${from}–${to} is not what this strategy plays: try another move, or see ${tried.san}.`;
    }
  }

  function distance(left) {
    return left > 0 ? `${book.aim ? 'aim' : 'mate'} in ${Math.ceil(left / 2)}` : '';
  }

  function statusText(step) {
    const owner = capital(book.owner);
    const opponent = capital(other(book.owner));
    const done = step.san ? `${step.owner ? opponent : owner} played ${step.san}. ` : '';
    if (step.owner && play(step.node).uci) {
      const left = distance(plies(step.node));
      return `${done}${owner} to move: ${play(step.node).san}${left ? ` (${left} at most)` : ''}.`;
    }
    switch (end(step.node)) {
      case 'mate': return `${done}${capital(step.position.turn)} is mated.`;
      case 'stalemate': return `${done}Stalemate: a draw.`;
      case 'bare_king': return `${done}${opponent} has a bare king and can never mate.`;
      case 'aim': return `${done}The aim is reached.`;
      case 'lone_minor': return `${done}One knight or bishop cannot mate a bare king.`;
      case 'shut': return `${done}No legal moves of either side lead to a mate.`;
      default: {
        const count = plural(replies(step.node).length, 'reply').replace('replys', 'replies');
        const left = book.nodes[step.node][2] > 0 ? distance(plies(step.node) - (play(step.node).uci ? 1 : 0)) : '';
        return `${done}${opponent} has ${count}${left ? `; ${left} at most` : ''}.`;
      }
    }
  }

  function show() {
    selected = 0;
    const step = now();
    const list = choices(step);
    const dests = new Map();
    for (const choice of list) {
      if (!step.owner && !carried(choice.to)) continue;
      const from = choice.uci.slice(0, 2);
      dests.set(from, [...(dests.get(from) || []), choice.uci.slice(2, 4)]);
    }
    board.set({
      fen: boardFen(step.position),
      orientation: (book.owner === 'black') !== flipped ? 'black' : 'white',
      turnColor: step.position.turn,
      lastMove: step.uci ? [step.uci.slice(0, 2), step.uci.slice(2, 4)] : undefined,
      check: /[+#]/.test(step.san) ? step.position.turn : false,
      // Where the owner is to move, any move may be tried: the strategy's goes on.
      movable: { free: step.owner, color: step.position.turn, dests },
    });
    history.replaceState(null, '', address());
    const arrow = (uci, brush) => ({ orig: uci.slice(0, 2), dest: uci.slice(2, 4), brush });
    board.setAutoShapes(step.owner ? list.map((c) => arrow(c.uci, 'green')) : []);
    el('words').textContent = inWords(step.position);
    el('status').textContent = statusText(step);
    showChoices(step, list);
    showLine();
    el('back').disabled = el('first').disabled = at === 0;
    el('forward').disabled = el('last').disabled = list.length === 0 && at + 1 === steps.length;
  }

  function button(text, label, onclick) {
    const b = document.createElement('button');
    b.type = 'button';
    b.textContent = text;
    if (label) b.setAttribute('aria-label', label);
    b.onclick = onclick;
    return b;
  }

  function showChoices(step, list) {
    const focused = el('choices').contains(document.activeElement);
    el('choices').replaceChildren(...list.map((choice) => {
      const left = step.owner ? '' : distance(choice.plies);
      const missing = !step.owner && !carried(choice.to);
      const note = missing ? 'left out' : left;
      const b = button(choice.san, `${spoken(choice.san)}${note ? `, ${note}` : ''}`, () => pick(choice));
      b.disabled = missing;
      if (note) {
        const small = document.createElement('small');
        small.textContent = ` ${note}`;
        b.append(small);
      }
      const item = document.createElement('li');
      item.append(b);
      return item;
    }));
    markSelected(focused);
  }

  function markSelected(focus) {
    const buttons = [...el('choices').querySelectorAll('button')];
    buttons.forEach((b, k) => b.classList.toggle('selected', k === selected));
    if (focus && buttons[selected]) {
      buttons[selected].focus();
      buttons[selected].scrollIntoView({ block: 'nearest' });
    }
  }

  function showLine() {
    const first = steps[0].position.turn === 'black' ? 1 : 0;
    const parts = steps.slice(1).map((step, k) => {
      const ply = k + first;
      const number = ply % 2 === 0 ? `${ply / 2 + 1}. ` : k === 0 ? `${(ply + 1) / 2}... ` : '';
      const b = button(step.san, spoken(step.san), () => { clearTimeout(timer); at = k + 1; show(); });
      b.setAttribute('aria-current', String(at === k + 1));
      return [number, b, ' '];
    });
    el('line').replaceChildren(...parts.flat());
    if (steps.length === 1) el('line').textContent = '—';
  }

  // The formula -----------------------------------------------------------------------------------------------------

  // The rows for a reduced aim: nothing is said of the game after it.
  function aimRows(me, you) {
    const number = book.owner === 'white' ? 1 : 3;
    return [
      [`Init ∧ Rules${number} ∧ ${book.aim}`, `The formula of computation tree logic that is satisfiable. Its model is the strategy on this page: ${plural(book.positions, 'position')} with ${me} to move. Whatever ${you} plays, the aim is reached; what follows is not said.`],
    ];
  }

  // The rows for a strategy that wins or holds.
  function formulaRows(me, you) {
    const white = book.owner === 'white';
    const wins = book.formula.startsWith('theta');
    const name = { theta1: 'Θ1', theta3: 'Θ3', hold2: 'Hold2', hold4: 'Hold4' }[book.formula];
    const [turn, mine, yours] = white ? ['p0', 'p269', 'p270'] : ['¬p0', 'p270', 'p269'];
    const [king, own] = white ? ['SafeBKing', 'SafeWKing'] : ['SafeWKing', 'SafeBKing'];
    const notTurn = white ? '¬p0' : 'p0';
    const number = name.at(-1);
    const aim = wins ? `Aim${number}` : `Hold_${me[0]}`;
    return [
      [`${name} = Init ∧ Rules${number} ∧ ${aim}`, `The formula of computation tree logic that is satisfiable. Its model is the strategy on this page: ${plural(book.positions, 'position')} with ${me} to move.`],
      ['Init = P(y⁰)', 'The root is the position above, said by 269 literals over p0 … p268.'],
      [`Rules${number} = ∀□((¬p0 ∧ ⋁ WM(y)) ∨ (p0 ∧ ⋁ BM(y)))`, `Everywhere the rules of chess hold, with one move of ${me} (P(y) ∧ ⋁ ∀○P(z)) and every move of ${you} (P(y) ∧ ⋀ ∃○P(z) ∧ ∀○⋁P(z)).`],
      wins
        ? [`Aim${number} = ∀◇(${turn} ∧ ⋁{P(y) : ¬${king}(y)} ∧ ¬${yours})`, `On every path comes a position in which ${you} is to move, in check, and without a move: mate.`]
        : [`Hold_${me[0]} = ∀□(${turn} ∨ (${notTurn} ∧ (${mine} ∨ ⋁{P(y) : ${own}(y)}))) ∧ ∀□∃○T`, `On every path, always: where ${me} is to move, there is a move or no check, so ${me} is never mated.`],
    ];
  }

  function explain() {
    const [me, you] = [capital(book.owner), capital(other(book.owner))];
    const rows = book.aim ? aimRows(me, you) : formulaRows(me, you);
    if (data.books.length === 2) rows.push(['Θ2* = Θ4* = ∃○Hold2 ∧ ∃○Hold4', 'Both sides have such a strategy: the game is a draw.']);
    const list = document.createElement('dl');
    for (const [formula, meaning] of rows) {
      const [dt, dd, code] = ['dt', 'dd', 'code'].map((tag) => document.createElement(tag));
      code.textContent = formula;
      dt.append(code);
      dd.textContent = meaning;
      list.append(dt, dd);
    }
    const notes = book.notes.map((note) => {
      const p = document.createElement('p');
      p.textContent = note;
      return p;
    });
    el('explanation').replaceChildren(list, ...notes);
    el('cut').textContent = book.left_out
      ? `This page carries ${book.nodes.length.toLocaleString('en')} of ${(book.nodes.length + book.left_out).toLocaleString('en')} positions: the longest resistance, and what is nearest to the root. Replies that lead to the others are marked “left out”.`
      : '';
  }

  function showSides() {
    if (data.books.length < 2) return;
    el('sides').hidden = false;
    el('sides').replaceChildren(...data.books.map((b) => {
      const tab = button(`${capital(b.owner)} holds`, '', () => { book = b; showSides(); explain(); begin(); });
      tab.setAttribute('aria-pressed', String(b === book));
      return tab;
    }));
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const onButton = document.activeElement instanceof HTMLButtonElement;
    const count = el('choices').childElementCount;
    const keys = {
      ArrowLeft: back,
      ArrowRight: forward,
      Home: begin,
      End: toEnd,
      f: () => { flipped = !flipped; show(); },
      ArrowDown: () => { selected = Math.min(selected + 1, count - 1); markSelected(true); },
      ArrowUp: () => { selected = Math.max(selected - 1, 0); markSelected(true); },
    };
    const digit = /^[1-9]$/.test(event.key) && choices(now())[Number(event.key) - 1];
    if (digit) pick(digit);
    else if (event.key === 'Enter' && !onButton) forward();
    else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
  }

  el('first').onclick = begin;
  el('back').onclick = back;
  el('forward').onclick = forward;
  el('last').onclick = toEnd;
  el('flip').onclick = () => { flipped = !flipped; show(); };
  document.addEventListener('keydown', onKey);
  document.querySelector('main').hidden = false;
  resume();
  showSides();
  explain();
  show();
  board.redrawAll();
})();
