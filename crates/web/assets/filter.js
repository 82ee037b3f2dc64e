// Which games fit the filters: pure functions, tested without a browser.

const any = { label: "Any", fits: () => true };

export const FILTERS = {
  players: {
    label: "Players",
    options: {
      all: any,
      1: { label: "1", fits: (game) => game.roles.length === 1 },
      2: { label: "2", fits: (game) => game.roles.length === 2 },
      more: { label: "3 and more", fits: (game) => game.roles.length > 2 },
    },
  },
  kind: {
    label: "Kind",
    options: {
      all: any,
      puzzle: { label: "Puzzle", fits: (game) => game.kind === "single-player" },
      turns: { label: "In turns", fits: (game) => game.kind === "turn-taking" },
      once: { label: "All at once", fits: (game) => game.kind === "simultaneous" },
    },
  },
  length: {
    label: "Length",
    options: {
      all: any,
      short: { label: "Short", fits: (game) => (game.length ?? 0) <= 20 },
      medium: { label: "Medium", fits: (game) => (game.length ?? 0) > 20 && (game.length ?? 0) <= 60 },
      long: { label: "Long", fits: (game) => (game.length ?? 0) > 60 },
    },
  },
};

/** Whether a game fits what was chosen and typed. Every word must be in its name, title or text. */
export function matches(game, chosen) {
  const fits = Object.entries(FILTERS).every(([name, filter]) =>
    (filter.options[chosen[name]] ?? any).fits(game));
  const text = `${game.name} ${game.title} ${game.text}`.toLowerCase();
  return fits && (chosen.text ?? "").toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

// What many people know comes first.
const SHOWCASE = ["chess", "othello", "connect_four", "hex", "checkers", "chinese_checkers_2", "amazons",
  "tic_tac_toe", "sudoku_easy", "hanoi", "breakthrough", "pentago", "english_draughts", "clobber", "quarto",
  "nine_board_tic_tac_toe", "eight_puzzle", "chinese_checkers_6", "sheep_and_wolf", "rock_paper_scissors"];

/** The games with those that many people know first. */
export function inShowcase(games) {
  const rank = (game) => (SHOWCASE.indexOf(game.name) + 1 || SHOWCASE.length + 1);
  return [...games].sort((a, b) => rank(a) - rank(b) || a.title.localeCompare(b.title));
}
