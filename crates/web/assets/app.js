// Leads addresses to views. A view is a function (main, ...parts) that fills the page and may return a
// function that ends it.

import { h, put } from "./dom.js";

const VIEWS = [
  [/^\/$/, () => import("./gallery.js").then((m) => m.gallery)],
  [/^\/games\/([^/]+)$/, () => import("./setup.js").then((m) => m.setup)],
  [/^\/games\/([^/]+)\/inside$/, () => import("./understood.js").then((m) => m.understood)],
  [/^\/match\/([^/]+)$/, () => import("./match.js").then((m) => m.match)],
  [/^\/write(?:\/([^/]+))?$/, () => import("./write.js").then((m) => m.write)],
  [/^\/manage$/, () => import("./manage.js").then((m) => m.manage)],
  [/^\/tournaments\/([^/]+)$/, () => import("./manage.js").then((m) => m.tournament)],
  [/^\/lab$/, () => import("./lab.js").then((m) => m.lab)],
  [/^\/lab\/runs\/([^/]+)$/, () => import("./lab.js").then((m) => m.run)],
  [/^\/lab\/results\/([^/]+)$/, () => import("./lab.js").then((m) => m.results)],
  [/^\/matches$/, () => import("./matches.js").then((m) => m.matches)],
];

let end = null;
let turn = 0;

async function show() {
  const mine = (turn += 1);
  const main = document.getElementById("main");
  end?.();
  end = null;
  for (const link of document.querySelectorAll("nav a")) {
    const here = link.pathname === "/" ? location.pathname === "/" : location.pathname.startsWith(link.pathname);
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  for (const [pattern, load] of VIEWS) {
    const found = pattern.exec(location.pathname);
    if (!found) continue;
    try {
      const view = await load();
      if (mine !== turn) return;
      main.className = "";
      const ended = await view(main, ...found.slice(1).filter(Boolean).map(decodeURIComponent));
      if (mine === turn) end = ended ?? null;
      else ended?.();
    } catch (error) {
      if (mine === turn) problem(main, error.message);
    }
    return;
  }
  problem(main, "There is nothing at this address.");
}

function problem(main, text) {
  document.title = "Ludex";
  main.className = "";
  put(main, h("section", { class: "notice", role: "alert" }, h("h1", {}, text),
    h("p", {}, h("a", { href: "/" }, "To the games"))));
}

/** Goes to an address of this page. */
export function go(path) {
  history.pushState(null, "", path);
  window.scrollTo(0, 0);
  return show();
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !plain || link.origin !== location.origin || link.target || link.hasAttribute("download")) return;
  if (link.pathname.startsWith("/api/") || link.getAttribute("href").startsWith("#")) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash).then(() => document.getElementById("main").focus());
});
window.addEventListener("popstate", show);
show();
