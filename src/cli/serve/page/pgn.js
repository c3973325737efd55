// Parts a file of many games, so that only the game that is looked at goes to the server.

/** The games of a text, each as `{ from, to, title }`, without reading a move. */
export function splitGames(text) {
  const games = [];
  let from = 0;
  let inTags = false;
  let depth = 0;
  let tags = {};
  let seen = false;
  const close = (to) => {
    if (seen) games.push({ from, to, title: titleOf(tags, games.length + 1) });
    from = to;
    tags = {};
    seen = false;
  };
  let at = 0;
  while (at < text.length) {
    let end = text.indexOf('\n', at);
    if (end < 0) end = text.length;
    const line = text.slice(at, end).trim();
    // A tag line inside a comment in braces is none.
    const tag = depth === 0 && line.startsWith('[')
      && line.match(/^\[\s*([A-Za-z0-9_]+)\s+"((?:[^"\\]|\\.)*)"/);
    if (tag) {
      if (!inTags && seen) close(at);
      inTags = true;
      seen = true;
      tags[tag[1].toLowerCase()] = tag[2].replace(/\\(.)/g, '$1');
    } else if (line !== '') {
      inTags = false;
      seen = true;
      for (const c of line) {
        if (c === '{') depth = 1;
        else if (c === '}') depth = 0;
        else if (c === ';' && depth === 0) break;
      }
    }
    at = end + 1;
  }
  close(text.length);
  return games;
}

function titleOf(tags, number) {
  const known = (text) => text && text !== '?' && text !== '-';
  const names = [tags.white, tags.black].filter(known).join(' – ');
  const where = [tags.event, tags.date ? tags.date.slice(0, 4).replace(/\?/g, '') : '']
    .filter(known).filter(Boolean).join(', ');
  return [names || `Game ${number}`, where, tags.result === '*' ? '' : tags.result]
    .filter(Boolean).join(' · ').slice(0, 160);
}

/** Whether a text looks like a game: tags, or numbered moves. */
export const looksLikePgn = (text) =>
  /^\s*\[\s*\w+\s+"/m.test(text.slice(0, 4000))
  || /(^|\s)1\.\s*(\.\.\s*)?[a-hKQRBNO]/.test(text.slice(0, 4000));

/** Whether a text looks like a position. */
export const looksLikeFen = (text) =>
  /^\s*(?:[1-8pnbrqkPNBRQK]{1,8}\/){7}[1-8pnbrqkPNBRQK]{1,8}(?:[ _]|\s*$)/.test(text.slice(0, 200));
