// Write a rule sheet: checked while it is typed, played in one click.

import { get, part, post } from "./api.js";
import { go } from "./app.js";
import { h, put, toast } from "./dom.js";
import { draft, drafts, fresh, keep } from "./drafts.js";
import { games } from "./gallery.js";
import { EXAMPLE, KEYWORDS, meaning, token } from "./gdl.js";
import { form, open } from "./setup.js";

const LONGEST = 1 << 20; // as the server has it
const PAUSE = 250; // milliseconds after a key before the sheet is checked

/** `/write` begins a draft, perhaps from a game; `/write/ID` goes on with one. */
export async function write(main, id) {
  if (!id) {
    const from = new URLSearchParams(location.search).get("from");
    const sheet = from ? await get(`/api/games/${part(from)}/sheet`) : null;
    const made = fresh();
    keep(made, sheet?.name ?? "my_game", sheet?.text ?? EXAMPLE);
    history.replaceState(null, "", `/write/${made}`);
    id = made;
  }
  const known = draft(id);
  if (!known) throw new Error("This draft is not in this browser.");
  document.title = `${known.name} · Ludex`;
  const cm = await import("./codemirror.js");
  const page = new WritePage(cm, main, id, known);
  return () => page.end();
}

function style(cm) {
  const { tags } = cm;
  return cm.HighlightStyle.define([
    { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
    { tag: tags.keyword, color: "var(--accent)", fontWeight: "600" },
    { tag: tags.variableName, color: "var(--hint)" },
    { tag: tags.number, color: "var(--c-orange)" },
    { tag: tags.paren, color: "var(--muted)" },
  ]);
}

function language(cm) {
  const kinds = { comment: "comment", keyword: "keyword", variable: "variableName", number: "number", paren: "paren" };
  return cm.StreamLanguage.define({
    name: "gdl",
    token(stream) {
      const [kind, length] = token(stream.string.slice(stream.pos));
      stream.pos += length;
      return kinds[kind] ?? null;
    },
    languageData: { commentTokens: { line: ";" }, closeBrackets: { brackets: ["("] } },
  });
}

const THEME = {
  "&": { height: "100%", backgroundColor: "var(--card)", color: "var(--ink)", fontSize: "14px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--card)", color: "var(--muted)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 8%, transparent)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 26%, transparent) !important" },
  ".cm-tooltip": { backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--line)",
    borderRadius: "8px", maxWidth: "34rem" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--accent-ink)" },
  ".cm-panels": { backgroundColor: "var(--paper)", color: "var(--ink)" },
  ".hover": { padding: ".4rem .7rem", fontFamily: "system-ui, sans-serif" },
  ".hover p": { margin: "0" },
  ".help": { color: "var(--muted)", marginTop: "2px" },
};

class WritePage {
  constructor(cm, main, id, known) {
    Object.assign(this, { cm, id, checked: null, ended: false });
    this.name = h("input", { id: "name", value: known.name, "aria-label": "Name of the game", maxlength: 60,
      oninput: () => this.keep() });
    this.box = h("div", { class: "editor" });
    this.summary = h("p", { class: "status", role: "status" });
    this.findings = h("ul", { class: "findings" });
    this.outline = h("ul", { class: "outline" });
    this.playing = h("div", { class: "play-this" });
    const file = h("input", { type: "file", accept: ".kif,.gdl,.txt", hidden: true, onchange: () => this.upload(file) });
    const button = (label, title, action, more = {}) =>
      h("button", { type: "button", title, onclick: action, ...more }, label);
    const start = h("select", { "aria-label": "Start from an example", onchange: () => this.from(start.value) },
      h("option", { value: "" }, "Start from…"));
    games().then((all) => [...all].sort((a, b) => a.title.localeCompare(b.title)).forEach((game) =>
      start.append(h("option", { value: game.name }, game.title))), () => {});
    const mine = drafts().filter(([other]) => other !== id).slice(0, 8);
    main.className = "wide";
    put(main, h("h1", { class: "unseen" }, "Write rules"), h("div", { class: "write" },
      h("div", { class: "paper" },
        h("div", { class: "actions" }, this.name, start, button("Format", "The canonical layout", () => this.format()),
          button("Upload", "A sheet from a file", () => file.click()), file,
          button("Download", "The sheet as a file", () => this.download())),
        this.box),
      h("aside", { class: "side" }, this.summary, this.findings, this.playing,
        h("details", { open: true }, h("summary", {}, "Outline"), this.outline),
        mine.length > 0 && h("details", {}, h("summary", {}, "Your drafts"), h("ul", { class: "outline" },
          mine.map(([other, { name }]) => h("li", {}, h("a", { href: `/write/${part(other)}` }, name))))))));
    this.mount(known.text);
  }

  mount(text) {
    const { cm } = this;
    // In a shadow tree the editor's styles need no inline style elements, which the policy forbids.
    const root = this.box.attachShadow({ mode: "open" });
    const place = h("div", { part: "place" });
    root.append(place);
    const state = cm.EditorState.create({
      doc: text,
      extensions: [
        cm.lineNumbers(), cm.highlightSpecialChars(), cm.history(), cm.drawSelection(), cm.highlightActiveLine(),
        cm.bracketMatching(), cm.closeBrackets(), cm.highlightSelectionMatches(), cm.search({ top: true }),
        language(cm), cm.syntaxHighlighting(style(cm)), cm.EditorView.theme(THEME), cm.lintGutter(),
        cm.autocompletion({ override: [(context) => this.complete(context)] }),
        cm.hoverTooltip((view, at) => this.hover(view, at)),
        cm.linter((view) => this.check(view), { delay: PAUSE }),
        cm.keymap.of([{ key: "Alt-Shift-f", run: () => { this.format(); return true; } }, ...cm.closeBracketsKeymap,
          ...cm.defaultKeymap, ...cm.searchKeymap, ...cm.historyKeymap, ...cm.completionKeymap, ...cm.lintKeymap]),
        cm.EditorView.contentAttributes.of({ "aria-label": "Rule sheet" }),
        cm.EditorView.updateListener.of((update) => update.docChanged && this.keep()),
      ],
    });
    this.view = new cm.EditorView({ state, parent: place, root });
    // For tests and for whoever looks with the tools of the browser.
    this.box.view = this.view;
    cm.forceLinting(this.view);
  }

  end() {
    this.ended = true;
    this.save();
    this.view.destroy();
  }

  text() {
    return this.view.state.doc.toString();
  }

  keep() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), PAUSE);
  }

  save() {
    clearTimeout(this.timer);
    if (!keep(this.id, this.name.value.trim() || "my_game", this.text())) toast("The draft does not fit into this browser.");
  }

  replace(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  /** What is wrong: as the editor marks it. */
  async check(view) {
    const text = view.state.doc.toString();
    let checked;
    try {
      checked = await post("/api/sheets/check", { text });
    } catch (error) {
      if (!this.ended) this.summary.textContent = error.message;
      return [];
    }
    if (this.ended || text !== this.text()) return [];
    this.show(checked);
    const length = view.state.doc.length;
    return checked.findings.filter((finding) => finding.place).map((finding) => {
      const from = Math.min(finding.place.from, length);
      return {
        from, to: Math.max(from, Math.min(finding.place.to, length)),
        severity: finding.severity === "error" ? "error" : finding.severity === "warning" ? "warning" : "info",
        source: finding.code, message: finding.message,
        renderMessage: () => h("div", {}, h("div", {}, finding.message),
          finding.help && h("div", { class: "help" }, finding.help)),
      };
    });
  }

  show(checked) {
    this.checked = checked;
    const some = (severity) => checked.findings.filter((finding) => finding.severity === severity).length;
    const [errors, warnings] = [some("error"), some("warning")];
    const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
    const parts = [errors > 0 ? count(errors, "error") : "No errors", warnings > 0 && count(warnings, "warning")];
    this.summary.textContent = `${parts.filter(Boolean).join(", ")}.`;
    this.summary.classList.toggle("mine", errors === 0);
    const rank = (finding) => ["error", "warning"].indexOf(finding.severity) + 1 || 3;
    // Hints are marked in the text only.
    const sorted = checked.findings.filter((finding) => rank(finding) < 3).sort((a, b) => rank(a) - rank(b));
    put(this.findings, sorted.slice(0, 50).map((finding) => h("li", { class: finding.severity },
      h("button", { type: "button", onclick: () => this.goTo(finding.place) },
        h("strong", {}, `${finding.severity} ${finding.code}`), " ", finding.message),
      finding.help && h("p", { class: "muted" }, finding.help),
      finding.related.map((place) => h("button", { type: "button", class: "related", onclick: () => this.goTo(place) },
        place.text || "also here")))));
    put(this.outline, checked.relations.map((relation) => h("li", {},
      h("button", { type: "button", onclick: () => this.goTo({ from: relation.from, to: relation.from }) },
        `${relation.title}`, h("span", { class: "muted" }, ` /${relation.arity}  line ${relation.line}`)))));
    const roles = JSON.stringify(checked.roles);
    if (!checked.playable) {
      put(this.playing);
      this.roles = null;
    } else if (roles !== this.roles) {
      this.roles = roles;
      put(this.playing, h("h2", {}, "Play this"), form(checked.roles, (seats, more) => {
        this.save();
        return open({ name: this.name.value, text: this.text() }, checked.roles, seats, more);
      }));
    }
  }

  goTo(place) {
    if (!place) return;
    const { length } = this.view.state.doc;
    const [from, to] = [Math.min(place.from, length), Math.min(place.to, length)];
    this.view.dispatch({ selection: { anchor: from, head: to },
      effects: this.cm.EditorView.scrollIntoView(from, { y: "center" }) });
    this.view.focus();
  }

  complete(context) {
    const word = context.matchBefore(/[^\s();]*/);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    const known = new Set(Object.keys(KEYWORDS));
    const own = (this.checked?.words ?? []).filter((name) => !known.has(name) && name !== word.text);
    const options = [
      ...[...known].map((label) => ({ label, type: "keyword", info: KEYWORDS[label] })),
      ...own.map((label) => ({ label, type: label.startsWith("?") ? "variable" : "function" })),
    ];
    return { from: word.from, options, validFor: /^[^\s();]*$/ };
  }

  hover(view, at) {
    const { from, text } = view.state.doc.lineAt(at);
    for (let start = 0; start < text.length;) {
      const [kind, length] = token(text.slice(start));
      if (at - from < start + length) {
        if (kind !== "keyword" && kind !== "word") return null;
        const lines = meaning(text.slice(start, start + length), this.checked);
        if (lines.length === 0) return null;
        return { pos: from + start, end: from + start + length, above: true,
          create: () => ({ dom: h("div", { class: "hover" }, lines.map((line) => h("p", {}, line))) }) };
      }
      start += length;
    }
    return null;
  }

  async format() {
    try {
      const { text } = await post("/api/sheets/format", { text: this.text() });
      if (text !== this.text()) this.replace(text);
    } catch (error) {
      toast(error.message);
    }
  }

  async from(name) {
    if (name) await go(`/write?from=${part(name)}`);
  }

  async upload(input) {
    const [file] = input.files;
    input.value = "";
    if (!file) return;
    if (file.size > LONGEST) {
      toast("That file is too long for a sheet.");
      return;
    }
    this.name.value = file.name.replace(/\.[^.]*$/, "").slice(0, 60);
    this.replace(await file.text());
  }

  download() {
    const address = URL.createObjectURL(new Blob([this.text()], { type: "text/plain" }));
    const name = this.name.value.replace(/[^\w-]+/g, "_") || "my_game";
    h("a", { href: address, download: `${name}.kif` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }
}
