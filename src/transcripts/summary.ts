import { beginningOf, isObject } from "../errors/text.ts";
import type { TranscriptEntry, TranscriptSummary } from "./store.ts";

const MOST_OF_PROMPT = 200;
/** A text that the CLI put there, not a person. */
const NOT_SAID =
  /^(?:\s*<[a-z][\w-]*[\s>]|\[Request interrupted by user[^\]]*\])/;

const NEWEST: Readonly<Record<string, string>> = {
  customTitle: "customTitle",
  aiTitle: "aiTitle",
  lastPrompt: "lastPrompt",
  summary: "summaryHint",
  gitBranch: "gitBranch",
};

/** Summary of a session, for lists. */
export interface TranscriptInfo {
  /** Id of the session. */
  readonly sessionId: string;
  /** Text for a list: the title, else the last prompt, else the first one, else "Image" or "Document". */
  readonly summary: string;
  /** Last change. */
  readonly updated: Date;
  /** Start; absent if no line has a time. */
  readonly created?: Date;
  /** Title given by a person or the model. */
  readonly title?: string;
  /** First prompt, at most 200 characters. */
  readonly firstPrompt?: string;
  /** Tag given by a person. */
  readonly tag?: string;
  /** Its working directory. */
  readonly cwd?: string;
  /** The branch that was checked out. */
  readonly gitBranch?: string;
  /** Size of its file in bytes; absent in a store. */
  readonly bytes?: number;
  /** Whether it is archived; absent if never set, and in a store. */
  readonly isArchived?: boolean;
  /** Whether a program began it, not a person at a terminal; absent in a store. */
  readonly isProgrammatic?: boolean;
}

/** Brings a summary up to date with lines that came, at a time in milliseconds since 1970. */
export function foldSummary(
  before: TranscriptSummary | undefined,
  sessionId: string,
  entries: readonly TranscriptEntry[],
  mtime: number = before?.mtime ?? 0,
): TranscriptSummary {
  const data: Record<string, unknown> = { ...before?.data };
  for (const entry of entries) fold(data, entry);
  return { sessionId: before?.sessionId ?? sessionId, mtime, data };
}

function fold(data: Record<string, unknown>, entry: TranscriptEntry): void {
  data.isSidechain ??= entry.isSidechain === true;
  const createdAt = Date.parse(String(entry.timestamp));
  if (!Number.isNaN(createdAt)) data.createdAt ??= createdAt;
  if (isText(entry.cwd)) data.cwd ??= entry.cwd;
  foldPrompt(data, entry);
  for (const [from, to] of Object.entries(NEWEST)) {
    if (typeof entry[from] === "string") data[to] = entry[from];
  }
  if (entry.type === "tag") {
    if (isText(entry.tag)) data.tag = entry.tag;
    else delete data.tag;
  }
  if (entry.type === "relocated" && isText(entry.relocatedCwd)) {
    data.cwd = entry.relocatedCwd;
  }
}

/** The first thing that a person said; a command counts where there is nothing else. */
function foldPrompt(
  data: Record<string, unknown>,
  { type, isMeta, isCompactSummary, message }: TranscriptEntry,
): void {
  if (data.firstPromptLocked === true || type !== "user") return;
  if (isMeta === true || isCompactSummary === true || !isObject(message)) {
    return;
  }
  const { content } = message as { readonly content?: unknown };
  const blocks = typeof content === "string"
    ? [{ type: "text", text: content }]
    : Array.isArray(content)
    ? content.filter(isObject) as readonly Record<string, unknown>[]
    : [];
  if (blocks.some((block) => block.type === "tool_result")) return;
  for (const { type, text } of blocks) {
    if (type !== "text" || typeof text !== "string") continue;
    const line = text.replaceAll("\n", " ").trim();
    if (line === "") continue;
    const command = /<command-name>(.*?)<\/command-name>/.exec(line)?.[1];
    if (command !== undefined) {
      data.commandFallback ??= command;
      continue;
    }
    const bash = /<bash-input>([\s\S]*?)<\/bash-input>/.exec(line)?.[1];
    if (bash === undefined && NOT_SAID.test(line)) continue;
    data.firstPrompt = bash !== undefined
      ? `! ${bash.trim()}`
      : line.length > MOST_OF_PROMPT
      ? `${beginningOf(line, MOST_OF_PROMPT).trim()}…`
      : line;
    data.firstPromptLocked = true;
    return;
  }
}

/** Name of what was shown to the model first, for a session that has no text. */
function firstShown(
  entries: readonly TranscriptEntry[],
): "Image" | "Document" | undefined {
  for (const { type, isMeta, message } of entries) {
    const { content } = Object(message);
    if (type !== "user" || isMeta === true || !Array.isArray(content)) continue;
    const types = content.map((block) => Object(block).type);
    if (types.includes("tool_result")) continue;
    if (types.includes("image")) return "Image";
    if (types.includes("document")) return "Document";
  }
  return undefined;
}

/** Information from a summary, and from what lines are there; `undefined` for a session that is not listed. */
export function infoOf(
  { sessionId, mtime, data }: TranscriptSummary,
  entries: readonly TranscriptEntry[] = [],
): TranscriptInfo | undefined {
  if (data.isSidechain === true) return undefined;
  const firstPrompt = text(
    data.firstPromptLocked === true ? data.firstPrompt : data.commandFallback,
  );
  const title = text(data.customTitle) ?? text(data.aiTitle);
  const summary = title ?? text(data.lastPrompt) ?? text(data.summaryHint) ??
    firstPrompt ?? firstShown(entries);
  if (summary === undefined) return undefined;
  const { createdAt, tag, cwd, gitBranch } = data;
  return {
    sessionId,
    summary,
    updated: new Date(mtime),
    ...typeof createdAt === "number" && { created: new Date(createdAt) },
    ...title !== undefined && { title },
    ...firstPrompt !== undefined && { firstPrompt },
    ...isText(tag) && { tag },
    ...isText(cwd) && { cwd },
    ...isText(gitBranch) && { gitBranch },
  };
}

/** Whether a value is a text that is not empty. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function text(value: unknown): string | undefined {
  return isText(value) ? value : undefined;
}
