// A terminal as an SVG: what a program said, in its colours, wrapped as a terminal wraps it.

/** A piece of a line that looks alike throughout. */
interface Piece {
  readonly text: string;
  /** The classes of its style, empty for plain text. */
  readonly look: string;
}

const COLUMNS = 100;
const SIZE = 14;
/** Every monospaced font is about so wide; each line is fitted to it. */
const ADVANCE = SIZE * 0.6;
const LEADING = 20;
const MARGIN = 20;
const BAR = 36;

/** What the numbers of a sequence mean; all others leave the style as it is. */
const LOOKS: Readonly<Record<string, string>> = {
  1: "bold",
  2: "dim",
  31: "red",
  32: "green",
  33: "yellow",
  36: "cyan",
};
/** What ends them. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  0: Object.values(LOOKS),
  22: ["bold", "dim"],
  39: ["red", "green", "yellow", "cyan"],
};

const STYLE = `.w{fill:#161b22;stroke:#30363d}.t{font:${SIZE}px ui-monospace,` +
  "SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#e6edf3;white-space:pre}" +
  ".bold{font-weight:600}.dim{fill:#8b949e}.red{fill:#ff7b72}" +
  ".green{fill:#56d364}.yellow{fill:#e3b341}.cyan{fill:#56d4dd}";

/**
 * Draws a terminal.
 *
 * @param title What stands in its bar, and what is read out instead of the picture
 * @param text What was said, with the sequences that colour it
 */
export function terminalPicture(title: string, text: string): string {
  const lines = text.trimEnd().split("\n").flatMap((line) => wrap(line));
  const width = Math.ceil(COLUMNS * ADVANCE + 2 * MARGIN);
  const height = BAR + lines.length * LEADING + MARGIN;
  const rows = lines.map((pieces, at) => {
    const length = pieces.reduce((sum, one) => sum + one.text.length, 0);
    if (length === 0) return "";
    const y = BAR + at * LEADING + SIZE;
    const spans = pieces.map((one) =>
      one.look === ""
        ? escaped(one.text)
        : `<tspan class="${one.look}">${escaped(one.text)}</tspan>`
    ).join("");
    const fitted = (length * ADVANCE).toFixed(1);
    return `<text class="t" x="${MARGIN}" y="${y}" textLength="${fitted}" xml:space="preserve">${spans}</text>\n`;
  });
  const dots = [20, 40, 60].map((x) =>
    `<circle cx="${x}" cy="18" r="6" fill="#30363d"/>`
  ).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${
    escaped(title)
  }">
<style>${STYLE}</style>
<rect class="w" x=".5" y=".5" width="${width - 1}" height="${
    height - 1
  }" rx="8"/>${dots}
<text class="t dim" x="${width / 2}" y="23" text-anchor="middle">${
    escaped(title)
  }</text>
${rows.join("")}</svg>
`;
}

/** A line as pieces of one style each, and as many lines as a terminal makes of it. */
function wrap(line: string): readonly (readonly Piece[])[] {
  const rows: Piece[][] = [[]];
  let room = COLUMNS;
  for (const { look, text } of pieces(line)) {
    for (let rest = text; rest !== "";) {
      if (room === 0) {
        rows.push([]);
        room = COLUMNS;
      }
      rows.at(-1)?.push({ look, text: rest.slice(0, room) });
      const taken = Math.min(room, rest.length);
      rest = rest.slice(taken);
      room -= taken;
    }
  }
  return rows;
}

function pieces(line: string): readonly Piece[] {
  const on = new Set<string>();
  // What is split off alternates: text, numbers, text, ...
  return line.split(SEQUENCE).flatMap((part, at) => {
    if (at % 2 === 0) return { text: part, look: [...on].sort().join(" ") };
    for (const number of part === "" ? ["0"] : part.split(";")) {
      const look = LOOKS[number];
      if (look !== undefined) on.add(look);
      for (const ended of ENDS[number] ?? []) on.delete(ended);
    }
    return [];
  });
}

const SEQUENCE = new RegExp("\x1b\\[([\\d;]*)m");

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
