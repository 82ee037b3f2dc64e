// From clicks on cells to a move: pure functions, tested without a browser.
//
// A choice is { name, spots }: the cells that the move names, in order, as [board, column, row]; the
// row is null if the whole column is meant. Picks are cells that were clicked, as [board, column, row].

import { spoken } from "./words.js";

/** Whether a spot is this cell. */
export function isAt(spot, cell) {
  return spot[0] === cell[0] && spot[1] === cell[1] && (spot[2] === null || spot[2] === cell[2]);
}

const spotsOf = (choice) => choice.spots ?? [];

/** The choices that begin with these picks. */
export function fitting(choices, picks) {
  return choices.filter((choice) => {
    const spots = spotsOf(choice);
    return spots.length >= picks.length && picks.every((pick, at) => isAt(spots[at], pick));
  });
}

/** The spots that can be picked next. */
export function targets(choices, picks) {
  const next = fitting(choices, picks).map((choice) => spotsOf(choice)[picks.length]);
  return next.filter((spot) => spot !== undefined);
}

/** Whether a cell can be picked next. */
export function isTarget(choices, picks, cell) {
  return targets(choices, picks).some((spot) => isAt(spot, cell));
}

/**
 * What a click on a cell leads to: { picks } to go on with, { move } when one is meant, or
 * { picks, several } when the cells fit several moves. A click elsewhere begins anew.
 */
export function click(choices, picks, cell) {
  const again = picks.length > 0 && isAt(picks[picks.length - 1], cell);
  let next = null;
  if (isTarget(choices, picks, cell)) next = [...picks, cell];
  else if (again) return { picks: picks.slice(0, -1) };
  else if (isTarget(choices, [], cell)) next = [cell];
  if (!next) return { picks: [] };
  const fits = fitting(choices, next);
  const complete = fits.filter((choice) => spotsOf(choice).length === next.length);
  if (fits.length === 1 && complete.length === 1) return { move: fits[0].name };
  if (complete.length > 0) return { picks: next, several: fits.map((choice) => choice.name) };
  return { picks: next };
}

/** The choices that no click leads to. */
export function elsewhere(choices) {
  return choices.filter((choice) => spotsOf(choice).length === 0);
}

const words = (text) => text.toLowerCase().match(/[\p{L}]+|\d+|[^\s\p{L}\d]+/gu) ?? [];

/**
 * The moves that fit what was typed: every word of it begins a word of the move, in order. Letters and
 * digits are words of their own, so that `e2e4` is found in `move e 2 e 4`.
 */
export function search(names, typed) {
  const wanted = words(typed);
  return names.filter((name) => {
    const own = words(spoken(name));
    let at = 0;
    return wanted.every((word) => {
      while (at < own.length && !own[at].startsWith(word)) at += 1;
      at += 1;
      return at <= own.length;
    });
  });
}
