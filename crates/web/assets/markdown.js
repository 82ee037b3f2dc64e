// Reports of the lab: the Markdown that they are written in, as blocks, and blocks as elements. Only
// what reports have; everything else is text. `blocks` is a pure function, tested without a browser.

const UNWRITTEN = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/** The cells of a line of a table; an escaped bar is no border. */
function cells(line) {
  return line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim());
}

/** A text in pieces: [kind, text] with the kinds text, code, em, strong. */
export function pieces(text) {
  const found = [];
  const pattern = /(`+) ?(.*?) ?\1(?!`)|\*\*((?:\\.|[^*\\])+)\*\*|(?<![\\\w])\*(?! )((?:\\.|[^*\\])+)\*|\[((?:\\.|[^\]\\])*)\]\(([^)]*)\)/g;
  const plain = (piece) => piece.replace(/\\([\\`*_[\]|#~])/g, "$1").replace(/&(lt|gt|amp);/g, (name) => UNWRITTEN[name]);
  let end = 0;
  const add = (kind, piece) => {
    if (piece !== "") found.push([kind, kind === "code" ? piece : plain(piece)]);
  };
  for (const match of text.matchAll(pattern)) {
    add("text", text.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[1]) add("code", match[2]);
    else if (match[3]) add("strong", match[3]);
    else if (match[4]) add("em", match[4]);
    else add("text", match[5]);
  }
  add("text", text.slice(end));
  return found;
}

/** The blocks of a text, in order. */
export function blocks(text) {
  const found = [];
  let paragraph = null;
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    const heading = /^(#{1,4}) (.*)$/.exec(line);
    const item = /^[-*] (.*)$/.exec(line);
    const plot = /^!\[(.*)\]\((.*)\)$/.exec(line);
    const before = paragraph;
    paragraph = null;
    if (line.trim() === "") continue;
    if (heading) found.push({ kind: "heading", level: heading[1].length, text: heading[2] });
    else if (plot) found.push({ kind: "plot", title: plot[1], file: plot[2] });
    else if (item) {
      const last = found.at(-1);
      if (last?.kind === "list" && lines[at - 1] !== "") last.items.push(item[1]);
      else found.push({ kind: "list", items: [item[1]] });
    } else if (line.startsWith("|") && /^\|[-: |]+\|$/.test(lines[at + 1] ?? "")) {
      const table = { kind: "table", head: cells(line), rows: [] };
      at += 2;
      while (at < lines.length && lines[at].startsWith("|")) table.rows.push(cells(lines[at++]));
      at -= 1;
      found.push(table);
    } else if (before) {
      before.text += ` ${line.trim()}`;
      paragraph = before;
    } else if (/^\s/.test(line) && found.at(-1)?.kind === "list") {
      found.at(-1).items.push(`${found.at(-1).items.pop()} ${line.trim()}`);
    } else {
      paragraph = { kind: "text", text: line.trim() };
      found.push(paragraph);
    }
  }
  return found;
}
