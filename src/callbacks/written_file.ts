/** Marks the encoding at the start of a file, and stays there, unless an edit replaces it. */
const MARK = "\ufeff";
/** Characters at the start of a file by which the CLI chooses the line ends of the whole file. */
const SAMPLE = 4096;

/** An edit as the CLI passes it to a permission callback. */
export interface FileEdit {
  readonly old: string;
  readonly new: string;
  readonly isEverywhere: boolean;
}

/** The text of a file after `Write`; `before` is `undefined` for a new file. */
export function writtenFile(
  before: string | undefined,
  content: string,
): string {
  if (!before?.startsWith(MARK)) return content.toWellFormed();
  const text = unmarked(content);
  return text === "" ? "" : (MARK + text).toWellFormed();
}

/** The text of a file after `Edit`; `undefined` where the CLI finds nothing to replace. */
export function editedFile(
  before: string | undefined,
  edit: FileEdit,
): string | undefined {
  if (before === undefined) {
    return edit.old === "" ? edit.new.toWellFormed() : undefined;
  }
  if (edit.old === "") {
    if (unmarked(before).trim() !== "") return undefined;
    const isMarked = before.startsWith(MARK);
    return rewrittenFile(before, isMarked ? unmarked(edit.new) : edit.new);
  }
  const after = replaced(before.replaceAll("\r\n", "\n"), edit);
  return after === undefined ? undefined : inLineEndsOf(before, after);
}

/** The text of a file that gets another one: its mark stays, and so do its line ends if they are alike. */
export function rewrittenFile(before: string, text: string): string {
  return inLineEndsOf(before, before.startsWith(MARK) ? MARK + text : text);
}

function inLineEndsOf(before: string, text: string): string {
  const after = hasMostlyCrLf(before)
    ? text.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n")
    : text;
  return after.toWellFormed();
}

/** The text of a file without its mark. */
export function unmarked(text: string): string {
  return text.startsWith(MARK) ? text.slice(MARK.length) : text;
}

function hasMostlyCrLf(text: string): boolean {
  const sample = text.slice(0, SAMPLE);
  const all = sample.split("\n").length - 1;
  const pairs = sample.split("\r\n").length - 1;
  return pairs > all - pairs;
}

function replaced(
  text: string,
  { isEverywhere, new: after, old }: FileEdit,
): string | undefined {
  const found = foundIn(text, old);
  if (found === undefined) return undefined;
  if (!isEverywhere && text.split(found).length > 2) return undefined;
  // An occurrence at a line end goes with it, and then only such occurrences go.
  const takesEnd = after === "" && !old.endsWith("\n") &&
    text.includes(`${found}\n`);
  const gone = takesEnd ? `${found}\n` : found;
  const put = () => found === old ? after : inQuotesOf(found, after);
  return isEverywhere ? text.replaceAll(gone, put) : text.replace(gone, put);
}

/** The text to replace: the old one, or else the first that differs only in the shape of its quotation marks. */
function foundIn(text: string, old: string): string | undefined {
  if (text.includes(old)) return old;
  const at = straight(text).indexOf(straight(old));
  return at === -1 ? undefined : text.slice(at, at + old.length);
}

function straight(text: string): string {
  return text.replace(/[‘’]/g, "'").replace(/[“”]/g, '"');
}

/** A text with curly quotation marks, of the kinds that another text has. */
function inQuotesOf(found: string, text: string): string {
  const curly = (all: string, mark: string, open: string, close: string) =>
    all.replaceAll(
      mark,
      (_, at: number) =>
        at === 0 || /[ \t\n\r([{—–]/.test(all[at - 1] ?? "") ? open : close,
    );
  const double = /[“”]/.test(found) ? curly(text, '"', "“", "”") : text;
  return /[‘’]/.test(found) ? curly(double, "'", "‘", "’") : double;
}
