// A match: the board, the people, what they can do.

import { get, part, post } from "./api.js";
import { go } from "./app.js";
import { Board } from "./board.js";
import { chart, curves } from "./chart.js";
import { click, elsewhere, fitting, search, targets } from "./choose.js";
import { h, put, s, toast } from "./dom.js";
import { Inside } from "./inside.js";
import { keysOf, remember } from "./keys.js";
import { colour, piece } from "./pieces.js";
import { differing, inOrder, spoken, told } from "./words.js";

const MOST_LISTED = 200;
const STEP = 900; // milliseconds between positions when a match is played back

const pause = (time) => new Promise((done) => setTimeout(done, time));

export async function match(main, id) {
  const own = keysOf(id);
  if (location.hash.length > 1) {
    // A link to a seat: the key goes out of the address, so that it is not shared by accident.
    const key = decodeURIComponent(location.hash.slice(1));
    if (!own.keys.includes(key)) own.keys.push(key);
    remember(id, own);
    history.replaceState(null, "", location.pathname);
  }
  const view = await get(`/api/matches/${part(id)}?keys=${own.keys.map(part).join(",")}`);
  const page = new MatchPage(main, id, own, view);
  return () => page.end();
}

class MatchPage {
  constructor(main, id, own, view) {
    Object.assign(this, { id, own, moves: [], thoughts: [], picks: [], hints: [], at: null, position: null, typed: "" });
    document.title = `${view.game.title} · Ludex`;
    this.lay(main, view);
    this.show(view);
    if (view.replay) this.goTo(0);
    this.source = new EventSource(`/api/matches/${part(id)}/events?keys=${own.keys.map(part).join(",")}`);
    this.source.onmessage = (event) => this.show(JSON.parse(event.data));
    this.source.onerror = () => {
      if (this.source.readyState === EventSource.CLOSED) this.lost();
      else this.status.textContent = "The server does not answer; trying again…";
    };
    this.keys = (event) => this.key(event);
    document.addEventListener("keydown", this.keys);
    this.timer = setInterval(() => this.tick(), 250);
  }

  end() {
    this.ended = true;
    this.source.close();
    this.inside.close();
    document.removeEventListener("keydown", this.keys);
    clearInterval(this.timer);
  }

  lost() {
    this.status.textContent = "This match is not on the server any more. It may have been started anew.";
  }

  lay(main, view) {
    this.boardBox = h("div", { class: "boards" });
    this.players = h("div", { class: "players" });
    this.status = h("p", { class: "status", role: "status", "aria-live": "polite" });
    this.popup = h("div", { class: "several", hidden: true, role: "group", "aria-label": "Which move?" });
    this.facts = h("dl", { class: "lines" });
    const button = (label, key, title, action) => h("button", {
      type: "button", title: key ? `${title} (${key})` : title, "aria-keyshortcuts": key || null, onclick: action,
    }, label);
    this.buttons = {
      undo: button("Undo", "u", "Take your last move back", () => this.undo()),
      hint: button("Hint", "h", "What would the machine do?", () => this.hint()),
      turn: button("Turn", "f", "Turn the board", () => this.turn()),
      resign: button("Resign", "", "Give the match up", () => this.resign()),
      plan: button("Show me", "", "The way to the best end", () => this.showPlan()),
      analyse: button("Analyse", "a", "Try other moves from here, with all seats yours", () => this.analyse()),
      setup: button("Set up", "", "Change the facts of this position, and play from there", () => this.setUp()),
      inside: button("Inside", "i", "Look inside a search of this position", () => this.lookInside()),
      play: button("Play", " ", "Step by step", () => this.toggle()),
      again: button("Rematch", "", "Play again", () => this.again(false)),
      swap: button("Swap seats", "", "Play again in the other seat", () => this.again(true)),
    };
    this.find = h("input", {
      type: "search", placeholder: "Find a move", "aria-label": "Find a move", id: "find-move",
      oninput: (event) => { this.typed = event.target.value; this.listMoves(); },
      onkeydown: (event) => {
        if (event.key !== "Enter" || this.listed.length === 0) return;
        event.preventDefault();
        this.move(this.listed[0]);
      },
    });
    this.list = h("ul", { class: "choices" });
    this.legal = h("details", { class: "legal" }, h("summary", {}, "Moves"), this.find, this.list);
    this.advice = h("div", { class: "advice", "aria-live": "polite" });
    this.factsField = h("textarea", { id: "facts", rows: 10, spellcheck: "false" });
    this.factsError = h("p", { class: "form-status", role: "alert" });
    this.editor = h("form", { class: "advice position", hidden: true, onsubmit: (event) => {
      event.preventDefault();
      this.begin();
    } }, h("label", { for: "facts" }, "The facts of the position"), this.factsField, this.factsError,
    h("div", { class: "actions" }, h("button", { type: "submit", class: "primary" }, "Play from here"),
      h("button", { type: "button", onclick: () => { this.editor.hidden = true; } }, "Close")));
    this.inside = new Inside(this.id, { onMove: (name) => this.move(name) });
    this.chart = h("div", { class: "chart" });
    this.thought = h("div", { class: "thoughts" });
    this.history = h("ol", { class: "history", "aria-label": "Moves so far" });
    const step = (label, title, to) => h("button", { type: "button", title, "aria-label": title, onclick: to }, label);
    this.steps = h("div", { class: "steps" }, step("«", "To the beginning", () => this.goTo(0)),
      step("‹", "One step back", () => this.goTo(this.shown() - 1)),
      step("›", "One step on", () => this.goTo(this.shown() + 1)),
      step("»", "To the end", () => this.goTo(this.view.steps)));
    const record = h("a", {
      href: `/api/matches/${part(this.id)}/record`, download: true, class: "quiet",
    }, "Download the record");
    this.invite = h("div", { class: "invite" });
    main.className = "wide";
    this.page = h("div", { class: "match" },
      h("div", { class: "table" }, this.boardBox, this.popup),
      h("aside", { class: "side" }, h("h1", {}, view.game.built_in
        ? h("a", { href: `/games/${part(view.game.name)}` }, view.game.title) : view.game.title),
      this.players, this.status, this.invite,
      h("div", { class: "actions" }, Object.values(this.buttons)), this.advice, this.editor, this.inside.element, this.legal,
      this.facts, this.chart, this.steps, this.thought, this.history, record));
    put(main, this.page);
  }

  /** Takes notice of how things are. */
  show(view) {
    const before = this.view;
    this.view = view;
    this.received = performance.now();
    this.moves = [...this.moves.slice(0, view.from), ...view.moves];
    this.thoughts = [...this.thoughts.slice(0, view.from), ...(view.thoughts ?? [])];
    const question = this.question();
    const asked = question ? `${question.step} ${question.role}` : null;
    if (asked !== this.asked) {
      this.asked = asked;
      this.picks = [];
      this.hints = [];
      this.typed = "";
      this.find.value = "";
      put(this.advice);
    }
    if (before && before.steps !== view.steps && !view.replay) this.at = null;
    if (this.at === null) this.position = view.position;
    if (!before) this.flipped = this.usualTurn();
    this.draw();
    if (view.next && !before?.next) this.follow(view.next);
  }

  /** A question to somebody at this screen: people at one screen answer one after the other. */
  question() {
    return this.view.asked[0] ?? null;
  }

  choices() {
    return this.at === null ? this.question()?.legal ?? [] : [];
  }

  shown() {
    return this.at ?? this.view.steps;
  }

  /** People see the board from their own side. */
  usualTurn() {
    const sided = ["checkered", "draughts"].includes(this.view.game.style);
    const mine = this.view.roles.map((role, at) => [role, at]).filter(([role]) => role.mine);
    return sided && this.view.roles.length === 2 && mine.length === 1 && mine[0][1] === 1;
  }

  draw() {
    this.drawBoards();
    this.drawPlayers();
    this.drawButtons();
    this.listMoves();
    this.drawHistory();
    this.drawThoughts();
    // The search follows the position.
    if (this.inside.isOpen) this.inside.open(this.shown(), this.view.roles.map((role) => role.name));
    this.say();
  }

  /** How the players saw it: the values of all moves, and their words about the last one. */
  drawThoughts() {
    const roles = this.view.roles.map((role) => role.name);
    const at = this.shown();
    const lines = curves(this.thoughts, roles.length);
    const shown = lines.some((line) => line.length > 1);
    put(this.chart, shown && chart(lines, this.moves.length, at, roles));
    const said = (this.thoughts[at - 1] ?? []).map((thought, role) => [thought, role]).filter(([thought]) => thought);
    put(this.thought, said.map(([thought, role]) => h("p", {},
      h("span", { class: `swatch c-${colour(roles, role)}`, "aria-hidden": "true" }),
      `${roles[role].replaceAll("_", " ")} expected ${thought.value === null ? "?" : thought.value.toFixed(0)}`,
      thought.proved && " (proved)",
      h("span", { class: "muted" }, ` ${thought.playouts.toLocaleString("en")} playouts in ${thought.seconds.toFixed(1)} s${
        thought.playouts > 0 && thought.seconds >= 0.05 ? `, ${Math.round(thought.playouts / thought.seconds).toLocaleString("en")} per second` : ""}`),
      thought.line?.length > 1 && h("span", { class: "muted line" }, thought.line.slice(0, 6).map((joint) =>
        told(joint, roles).map(([, name]) => spoken(name)).join(" ")).join(", ")))));
  }

  drawBoards() {
    const { position, view } = this;
    if (!position) return;
    const roles = view.roles.map((role) => role.name);
    const grids = position.picture.grids;
    if (!this.boards || this.boards.length !== grids.length) {
      this.boards = grids.map((_, index) => {
        const board = new Board(index, roles, view.game.style, {
          label: grids.length > 1 ? `Board ${index + 1}` : "Board", onPick: (cell, how) => this.pick(cell, how),
        });
        board.canDrag = (cell) => this.canDrag(cell);
        return board;
      });
      put(this.boardBox, this.boards.map((board) => board.element));
      this.boardBox.classList.toggle("many", grids.length > 1);
    }
    const choices = this.choices();
    const marks = {
      changed: position.changed, winning: position.winning, picks: this.picks, hints: this.hints,
      targets: targets(choices, this.picks),
    };
    this.boards.forEach((board, index) => {
      if (board.flipped !== this.flipped) board.turn(this.flipped);
      board.show(grids[index], marks);
      const [width, height] = board.size;
      board.element.classList.toggle("flat", width > 1.6 * height);
      board.element.classList.toggle("tall", height > 1.3 * width);
    });
    const lines = position.picture.lines.filter((line) => line.label !== "to move");
    this.page.classList.toggle("bare", grids.length === 0);
    put(this.facts, lines.map((line) => [h("dt", {}, line.label), h("dd", {},
      line.values.length === 0 ? "–" : line.values.map((value) => this.value(value, choices, roles)))]));
  }

  /** Something beside the board; what can be chosen there is a button. */
  value(value, choices, roles) {
    const name = value.t.split(" ").at(-1);
    const choice = choices.find((known) => !known.spots && known.name.endsWith(` ${name})`)
      && known.name.split(" ").length === 2);
    if (!choice) return h("span", {}, value.t);
    const drawn = piece({ t: name, c: name, r: value.r }, roles, this.view.game.style);
    return h("button", {
      type: "button", class: "held", title: spoken(choice.name), "aria-label": spoken(choice.name),
      onclick: () => this.move(choice.name),
    }, name.length > 3 && drawn?.matches(".plain-text") ? name.replaceAll("_", " ")
      : s("svg", { viewBox: "0 0 100 100", width: 40, height: 40, "aria-hidden": "true" }, drawn));
  }

  canDrag(cell) {
    const choices = this.choices();
    return targets(choices, []).some((spot) => spot[0] === cell[0] && spot[1] === cell[1] && spot[2] === cell[2])
      && fitting(choices, [cell]).some((choice) => choice.spots.length > 1);
  }

  drawPlayers() {
    const { roles, over } = this.view;
    put(this.players, roles.map((role, at) => {
      const goal = over?.goals[at];
      const asked = this.question()?.role === at;
      const classes = ["player", role.thinking && "thinking", asked && "asked"].filter(Boolean).join(" ");
      return h("div", { class: classes },
        h("span", { class: `swatch c-${colour(roles.map((r) => r.name), at)}`, "aria-hidden": "true" }),
        h("span", { class: "who" }, h("strong", {}, role.name.replaceAll("_", " ")),
          h("span", { class: "muted" }, role.who === "human" ? (role.mine ? "you" : "a person") : role.label)),
        h("span", { class: "clock", "data-role": at }),
        goal !== undefined && h("span", { class: "goal", title: "What this role got, of 100" }, goal));
    }));
    this.tick();
  }

  /** Clocks run. */
  tick() {
    if (this.playing && performance.now() - this.advance > STEP) {
      this.advance = performance.now();
      if (this.shown() < this.view.steps) this.goTo(this.shown() + 1);
      else this.toggle();
    }
    const passed = (performance.now() - this.received) / 1000;
    for (const element of this.players.querySelectorAll(".clock")) {
      const { left } = this.view.roles[Number(element.dataset.role)];
      if (left === null) continue;
      const seconds = Math.max(0, left - passed);
      const minutes = Math.floor(seconds / 60);
      element.textContent = minutes > 0
        ? `${minutes}:${String(Math.floor(seconds % 60)).padStart(2, "0")}` : seconds.toFixed(seconds < 10 ? 1 : 0);
      element.classList.toggle("short", seconds < 5);
    }
  }

  drawButtons() {
    const { view, buttons } = this;
    const player = view.roles.some((role) => role.mine);
    const asked = this.question() !== null;
    buttons.undo.disabled = !view.can_undo;
    buttons.hint.disabled = !asked || Boolean(this.thinking);
    buttons.resign.disabled = !asked;
    buttons.undo.hidden = buttons.hint.hidden = !player;
    buttons.resign.hidden = !player || Boolean(view.over) || view.roles.length < 2;
    const ended = Boolean(view.over) && !view.replay && (player || this.own.owner);
    buttons.again.hidden = !ended;
    buttons.swap.hidden = !ended || view.roles.length < 2;
    buttons.plan.hidden = view.roles.length !== 1 || !player || Boolean(view.over);
    buttons.plan.disabled = !asked || Boolean(this.thinking);
    buttons.analyse.hidden = player && !view.over;
    buttons.setup.hidden = player && !view.over && !view.roles.every((role) => role.mine || role.who === "chance");
    buttons.inside.setAttribute("aria-pressed", String(this.inside.isOpen));
    buttons.play.hidden = !view.over || view.steps === 0;
    buttons.play.textContent = this.playing ? "Pause" : "Play";
    if (ended) buttons.again.textContent = view.roles.length < 2 ? "Try again" : "Rematch";
    const invites = (this.own.invites ?? []).map(({ role, key }) => {
      const link = `${location.origin}/match/${part(this.id)}#${part(key)}`;
      return h("label", {}, `Link for ${role.replaceAll("_", " ")}`,
        h("input", { readonly: true, value: link, onfocus: (event) => event.target.select() }));
    });
    if (this.invite.childElementCount !== invites.length) put(this.invite, invites);
  }

  listMoves() {
    const choices = this.choices();
    const fits = this.picks.length > 0 ? fitting(choices, this.picks) : choices;
    const names = inOrder(fits.map((choice) => choice.name));
    this.listed = this.typed ? search(names, this.typed) : names;
    const off = elsewhere(choices).length;
    this.legal.hidden = choices.length === 0;
    const fresh = this.listedFor !== this.asked;
    this.listedFor = this.asked;
    // Moves that no cell leads to must be seen.
    if (fresh && off > 0) this.legal.open = true;
    const count = choices.length === 1 ? "1 move" : `${choices.length} moves`;
    this.legal.querySelector("summary").textContent = off > 0 && off < choices.length
      ? `${count}, ${off} of them not on the board` : count;
    const shown = off > 0 && this.picks.length === 0 && !this.typed && off < choices.length
      ? [...inOrder(elsewhere(choices).map((choice) => choice.name)), ...this.listed.filter((name) =>
        choices.find((choice) => choice.name === name)?.spots)] : this.listed;
    put(this.list, shown.slice(0, MOST_LISTED).map((name) => h("li", {},
      h("button", { type: "button", onclick: () => this.move(name) }, spoken(name)))));
    if (shown.length > MOST_LISTED) {
      this.list.append(h("li", { class: "muted" }, `and ${shown.length - MOST_LISTED} more: type to find them`));
    }
  }

  drawHistory() {
    const roles = this.view.roles.map((role) => role.name);
    const at = this.shown();
    const { children } = this.history;
    // Only what is new is made: matches have hundreds of moves.
    const texts = this.moves.map((joint) => told(joint, roles));
    texts.forEach((done, index) => {
      const text = done.map(([, name]) => spoken(name)).join("  ");
      const known = children[index];
      if (known?.dataset.text === text) return;
      const item = h("li", { "data-text": text }, h("button", {
        type: "button", onclick: () => this.goTo(index + 1), "aria-label": `Move ${index + 1}: ${text}`,
      }, done.map(([role, name]) => h("span", { class: `said c-${colour(roles, roles.indexOf(role))}` }, spoken(name)))));
      if (known) known.replaceWith(item);
      else this.history.append(item);
    });
    while (children.length > texts.length) this.history.lastChild.remove();
    this.history.querySelector(".current")?.classList.remove("current");
    const current = children[at - 1];
    current?.classList.add("current");
    if (current) {
      // The list is what its items are placed in.
      const { offsetTop, offsetHeight } = current;
      const { scrollTop, clientHeight } = this.history;
      if (offsetTop < scrollTop || offsetTop + offsetHeight > scrollTop + clientHeight) {
        this.history.scrollTop = offsetTop - clientHeight / 2;
      }
    }
    this.steps.hidden = this.moves.length === 0;
  }

  say() {
    const { view } = this;
    const question = this.question();
    const name = (role) => view.roles[role].name.replaceAll("_", " ");
    const mine = view.roles.filter((role) => role.mine).length;
    let text = "";
    if (this.at !== null) text = `Position ${this.at} of ${view.steps}`;
    else if (view.over) text = this.result();
    else if (question && view.asked.length > 1) text = `${name(question.role)} chooses; the others look away`;
    else if (question) text = mine > 1 ? `${name(question.role)} to move` : "Your move";
    else {
      const thinking = view.roles.filter((role) => role.thinking).map((role) => role.name.replaceAll("_", " "));
      text = thinking.length > 0 ? `${thinking.join(", ")} ${thinking.length > 1 ? "are" : "is"} thinking…` : "…";
    }
    const faults = view.roles.filter((role) => role.fault && this.at === null)
      .map((role) => `${role.name}: ${role.fault}; the referee moved at random.`);
    const whole = [text, ...faults].join(" ");
    if (this.status.textContent !== whole) this.status.textContent = whole;
    this.status.classList.toggle("mine", Boolean(question) && this.at === null);
  }

  result() {
    const { over, roles } = this.view;
    if (over.goals.length === 0) return over.how;
    if (roles.length === 1) return over.goals[0] === 100 ? "Solved!" : `Over: ${over.goals[0]} of 100.`;
    const best = Math.max(...over.goals);
    const winners = roles.filter((_, at) => over.goals[at] === best);
    const people = roles.filter((role) => role.mine);
    if (winners.length === roles.length) return "A draw.";
    if (winners.length === 1 && people.length === 1) {
      return people[0] === winners[0] ? "You won!" : `${winners[0].name.replaceAll("_", " ")} won.`;
    }
    return `${winners.map((role) => role.name.replaceAll("_", " ")).join(" and ")} won.`;
  }

  pick(cell, how) {
    const choices = this.choices();
    if (this.at !== null && how === "click") return this.goTo(this.view.steps);
    if (how === "drag") this.picks = [];
    const result = click(choices, this.picks, cell);
    if (result.move) return this.move(result.move);
    this.picks = result.picks;
    this.drawBoards();
    this.listMoves();
    if (result.several) this.which(result.several);
    else this.popup.hidden = true;
  }

  /** Several moves name the same cells. */
  which(names) {
    const sorted = inOrder(names);
    const short = differing(sorted);
    put(this.popup, h("p", {}, "Which move?"), sorted.map((name, at) => h("button", {
      type: "button", "aria-label": spoken(name), onclick: () => this.move(name),
    }, short[at])));
    this.popup.hidden = false;
    this.popup.querySelector("button").focus();
  }

  /** Asks with each key that this browser holds until one is right. */
  async actAs(what, body) {
    const known = this.own.seats?.[body.role ?? this.question()?.role];
    const others = this.own.keys.length > 0 ? this.own.keys : [this.own.owner ?? ""];
    const keys = known ? [known, ...others.filter((key) => key !== known)] : others;
    for (const [at, key] of keys.entries()) {
      try {
        return await post(`/api/matches/${part(this.id)}/${what}`, { ...body, key });
      } catch (error) {
        const last = at === keys.length - 1;
        if (error.status !== 403 || last) {
          toast(error.message);
          return null;
        }
      }
    }
    return null;
  }

  move(name) {
    const question = this.question();
    if (!question) return;
    this.popup.hidden = true;
    this.picks = [];
    const was = this.boardBox.contains(document.activeElement);
    this.actAs("move", { role: question.role, step: question.step, move: name }).then(() => {
      if (!was && this.list.contains(document.activeElement)) this.find.focus();
    });
  }

  undo() {
    this.at = null;
    return this.actAs("undo", {});
  }

  resign() {
    const question = this.question();
    if (question && window.confirm("Give the match up?")) this.actAs("resign", { role: question.role });
  }

  async again(swap) {
    const opened = await this.actAs("again", { swap });
    if (opened) this.follow(opened.id);
  }

  /** The match goes on in another one, with the same keys. */
  follow(next) {
    if (this.followed) return;
    this.followed = true;
    remember(next, this.own);
    go(`/match/${part(next)}`);
  }

  async hint() {
    if (this.thinking || !this.question()) return;
    this.thinking = true;
    this.buttons.hint.disabled = true;
    put(this.advice, h("p", { class: "muted" }, "Thinking…"));
    const found = await this.actAs("hint", {});
    this.thinking = false;
    if (found && found.step === this.view.steps && this.question()) this.advise(found.advice);
    else put(this.advice);
    this.drawButtons();
  }

  advise(advice) {
    const best = advice.moves[0];
    const choice = this.choices().find((known) => known.name === best?.move);
    this.hints = choice?.spots ?? [];
    const bar = (value) => h("meter", { min: 0, max: 100, value: value ?? 0, "aria-hidden": "true" });
    put(this.advice, h("table", {}, h("caption", {}, "What the machine expects"),
      h("tbody", {}, advice.moves.map((move) => h("tr", {},
        h("td", {}, h("button", { type: "button", onclick: () => this.move(move.move) }, spoken(move.move))),
        h("td", {}, bar(move.value)),
        h("td", { class: "number" }, move.value === null ? "?" : move.value.toFixed(0), move.proved && " ✓"))))),
    h("p", { class: "muted" }, `${advice.playouts.toLocaleString("en")} playouts, depth ${advice.depth}`));
    this.drawBoards();
  }

  /** The way to the best end of a puzzle, to be played step by step. */
  async showPlan() {
    if (this.thinking || !this.question()) return;
    this.thinking = true;
    this.drawButtons();
    put(this.advice, h("p", { class: "muted" }, "Looking for a way…"));
    const found = await this.actAs("plan", {});
    this.thinking = false;
    this.drawButtons();
    const plan = found?.plan;
    if (!plan || found.step !== this.view.steps) return put(this.advice);
    if (!plan.moves) return put(this.advice, h("p", {}, "No way to an end was found."));
    const proof = plan.optimal ? "No way is worth more: that is proved." : `Nothing is worth more than ${plan.bound}.`;
    put(this.advice, h("p", {}, `${plan.moves.length} moves to ${plan.score} of 100, by ${plan.method}. ${proof}`),
      h("button", { type: "button", class: "primary", onclick: () => this.playPlan(plan.moves, found.step) }, "Show me"),
      h("p", { class: "muted plan" }, plan.moves.map(spoken).join(", ")));
    this.advice.querySelector("button").focus();
  }

  /** Plays moves one by one, as long as nobody else does. */
  async playPlan(moves, first) {
    for (;;) {
      const question = this.question();
      const next = question ? question.step - 1 - first : -1;
      if (this.ended || !question || next < 0 || next >= moves.length) return;
      if (!question.legal.some((choice) => choice.name === moves[next])) return;
      const made = await this.actAs("move", { role: question.role, step: question.step, move: moves[next] });
      if (!made) return;
      const asked = this.asked;
      for (let tries = 0; tries < 40 && this.asked === asked && !this.view.over; tries += 1) await pause(50);
      await pause(350);
    }
  }

  /** Other moves from the position that is shown, in a match of one's own. */
  async analyse() {
    try {
      const opened = await post(`/api/matches/${part(this.id)}/branch`, { step: this.shown() });
      remember(opened.id, { keys: opened.keys.filter(Boolean), seats: opened.keys, invites: [], owner: opened.owner });
      go(`/match/${part(opened.id)}`);
    } catch (error) {
      toast(error.message);
    }
  }

  /** The facts of the position that is shown, to be changed. */
  async setUp() {
    if (!this.editor.hidden) {
      this.editor.hidden = true;
      return;
    }
    try {
      const { facts } = await get(`/api/matches/${part(this.id)}/facts/${this.shown()}`);
      this.factsField.value = facts.join("\n");
      this.factsError.textContent = "";
      this.editor.hidden = false;
      this.factsField.focus();
    } catch (error) {
      toast(error.message);
    }
  }

  /** A match of one's own that begins with these facts. */
  async begin() {
    this.factsError.textContent = "Setting up…";
    try {
      const opened = await post(`/api/matches/${part(this.id)}/setup`, { facts: this.factsField.value });
      remember(opened.id, { keys: opened.keys.filter(Boolean), seats: opened.keys, invites: [], owner: opened.owner });
      await go(`/match/${part(opened.id)}`);
    } catch (error) {
      this.factsError.textContent = error.message;
    }
  }

  lookInside() {
    if (this.inside.isOpen) this.inside.close();
    else this.inside.open(this.shown(), this.view.roles.map((role) => role.name));
    this.drawButtons();
  }

  /** Plays a match back, or stops. */
  toggle() {
    this.playing = !this.playing;
    this.drawButtons();
    if (this.playing && this.shown() === this.view.steps) this.goTo(0);
    this.advance = performance.now();
  }

  turn() {
    this.flipped = !this.flipped;
    this.drawBoards();
  }

  /** Shows an earlier position; the last one is live. */
  async goTo(step) {
    const to = Math.max(0, Math.min(step, this.view.steps));
    this.picks = [];
    this.popup.hidden = true;
    if (to === this.view.steps) {
      this.at = null;
      this.position = this.view.position;
      return this.draw();
    }
    this.at = to;
    try {
      const position = await get(`/api/matches/${part(this.id)}/positions/${to}`);
      if (this.at === to) this.position = position;
    } catch (error) {
      toast(error.message);
    }
    this.draw();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target instanceof HTMLElement && event.target.matches("input, select, textarea");
    if (event.key === "Escape") {
      this.picks = [];
      this.popup.hidden = true;
      if (typing) event.target.blur();
      this.drawBoards();
      this.listMoves();
      return;
    }
    if (typing) return;
    const actions = {
      u: () => !this.buttons.undo.disabled && this.undo(),
      h: () => this.hint(),
      f: () => this.turn(),
      i: () => this.lookInside(),
      a: () => !this.buttons.analyse.hidden && this.analyse(),
      " ": () => !this.buttons.play.hidden && this.toggle(),
      "/": () => { this.legal.open = true; this.find.focus(); },
      ArrowLeft: () => this.goTo(this.shown() - 1),
      ArrowRight: () => this.goTo(this.shown() + 1),
      Home: () => this.goTo(0),
      End: () => this.goTo(this.view.steps),
    };
    const action = actions[event.key];
    // Space presses the button that has the focus.
    const pressed = event.key === " " && event.target instanceof Element && event.target.closest("button, summary, a");
    if (!action || pressed) return;
    event.preventDefault();
    action();
  }
}
