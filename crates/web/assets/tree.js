// The tree of a search, unfolded node by node. What is worth what: pure functions, tested without a
// browser.

import { post, part } from "./api.js";
import { h, put } from "./dom.js";
import { spoken, told } from "./words.js";

/** A value with what is proved about it: `62.5`, `100 ✓`, `≥ 50`, `≤ 50`. */
export function worth({ value, proof }) {
  const expected = value === null || value === undefined ? "?" : value.toFixed(1);
  if (!proof) return expected;
  const [low, high] = proof;
  if (low === high) return `${low} ✓`;
  return [expected, low > 0 && `≥ ${low}`, high < 100 && `≤ ${high}`].filter(Boolean).join(", ");
}

/** A joint move in a few words. */
export function said(joint, roles) {
  return told(joint, roles).map(([, name]) => spoken(name)).join(" · ");
}

/** A list of continuations; each can be unfolded. `search` is asked, `path` leads to the node. */
export class Tree {
  constructor(search, roles) {
    Object.assign(this, { search, roles });
    this.element = h("ul", { class: "tree", "aria-label": "The tree of the search" });
    this.unfold(this.element, []).catch(() => put(this.element, h("li", { class: "muted" }, "This search has no tree.")));
  }

  /** Asks for a node and lists what follows; the number of continuations. */
  async unfold(list, path) {
    const node = await post(`/api/searches/${part(this.search)}`, { path });
    put(list, node.lines.map((line) => this.item(line, path)));
    return node.lines.length;
  }

  item(line, path) {
    const joint = line.moves[0];
    const below = h("ul", { hidden: true });
    const button = h("button", { type: "button", "aria-expanded": "false", onclick: async () => {
      const open = button.getAttribute("aria-expanded") === "true";
      if (open) {
        button.setAttribute("aria-expanded", "false");
        below.hidden = true;
        return;
      }
      button.disabled = true;
      try {
        const found = await this.unfold(below, [...path, joint]);
        if (found === 0) put(below, h("li", { class: "muted" }, "not searched further"));
      } catch (error) {
        put(below, h("li", { class: "muted" }, error.status === 404 ? "not searched further" : error.message));
      }
      button.disabled = false;
      below.hidden = false;
      button.setAttribute("aria-expanded", "true");
      button.focus();
    } }, h("span", { class: "twist", "aria-hidden": "true" }, "▸"), h("span", { class: "what" }, said(joint, this.roles)),
    h("span", { class: "number" }, worth(line)), h("span", { class: "number muted" }, line.visits.toLocaleString("en")));
    return h("li", {}, button, below);
  }
}
