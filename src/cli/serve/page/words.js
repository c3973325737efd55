// What several parts say of a strategy and of numbers.

import { capital, movesOf, other } from './fen.js';

/** How a line of a strategy ends, in words. */
export function endWords(node) {
  const me = capital(node.owner);
  const you = capital(other(node.owner));
  return {
    mate: `${you} is mated.`,
    stalemate: 'Stalemate: a draw.',
    bare_king: `${you} has a bare king and can never mate.`,
    lone_minor: 'One knight or bishop cannot mate a bare king.',
    shut: `No legal moves of either side lead to a mate of ${me}.`,
    aim: 'The aim is reached.',
  }[node.end] || '';
}

/** `mate in 7`, or nothing. */
export const far = (plies) => (plies > 0 ? `mate in ${movesOf(plies)}` : '');

export const bytes = (n) => (n < 1000 ? `${n} bytes` : n < 1e6
  ? `${(n / 1000).toFixed(1)} KB` : `${(n / 1e6).toFixed(1)} MB`);

export const seconds = (n) => (n < 10 ? `${n.toFixed(2)} s` : `${Math.round(n)} s`);

/** Why the work ended early. */
export const stopWords = (stop) => ({
  time: 'the time was up', memory: 'the memory was full', positions: 'the positions were used up',
  interrupted: 'on request', exhausted: 'no engine knows more',
}[stop] || stop);
