import type { TranscriptEntry } from "./store.ts";

export type Lines = Map<unknown, TranscriptEntry>;

/**
 * Adds the calls and results of an answer that are beside the chain: each of its calls is a line, and each result is linked to
 * its call, so that a chain passes through one result alone. They stand behind the answer's last line on the chain.
 */
export function withParallel(
  chain: readonly TranscriptEntry[],
  lines: Lines,
): readonly TranscriptEntry[] {
  const answers = groupBy([...lines.values()], answerId);
  const linked = groupBy(
    [...lines.values()].filter((line) => resultIds(line).length > 0),
    ({ parentUuid }) => String(parentUuid),
  );
  const named = resultsByName(lines);
  const lastLines = new Map(chain.map((line) => [answerId(line), line]));
  const taken = new Set(chain);
  const answered = new Set(chain.flatMap(resultIds));
  const take = (line: TranscriptEntry) => {
    if (taken.has(line)) return false;
    taken.add(line);
    for (const id of resultIds(line)) answered.add(id);
    return true;
  };
  return chain.flatMap((line) => {
    const id = answerId(line);
    if (id === undefined || lastLines.get(id) !== line) return [line];
    const answer = answers.get(id) ?? [];
    const calls = answer.filter(take);
    const results = [
      ...answer.flatMap(({ uuid }) => linked.get(String(uuid)) ?? [])
        .filter(take),
      // A copy of a result that is there is left out.
      ...(named.get(id) ?? []).filter((result) =>
        !resultIds(result).every((one) => answered.has(one)) && take(result)
      ),
    ];
    return [line, ...calls.sort(byTime), ...results.sort(byTime)];
  });
}

/** Results by the answer whose call they name, where no other answer has a call of that id. */
function resultsByName(
  lines: Lines,
): ReadonlyMap<string, readonly TranscriptEntry[]> {
  const calls = new Map<string, TranscriptEntry | undefined>();
  for (const line of lines.values()) {
    for (const id of idsIn(line, "tool_use", "id")) {
      const isOther = calls.has(id) &&
        answerId(calls.get(id)) !== answerId(line);
      calls.set(id, isOther ? undefined : line);
    }
  }
  return groupBy([...lines.values()], (line) => {
    const [id] = resultIds(line);
    const call = id === undefined ? undefined : calls.get(id);
    const isSameAgent = !call?.isSidechain === !line.isSidechain &&
      call?.agentId === line.agentId;
    return isSameAgent ? answerId(call) : undefined;
  });
}

function answerId(line: TranscriptEntry | undefined): string | undefined {
  const { id } = Object(line?.type === "assistant" && line.message);
  return typeof id === "string" ? id : undefined;
}

/** Ids of the calls whose results a line holds. */
export function resultIds(line: TranscriptEntry): readonly string[] {
  return line.type === "user" && line.parentUuid
    ? idsIn(line, "tool_result", "tool_use_id")
    : [];
}

function idsIn(
  { message }: TranscriptEntry,
  type: string,
  key: string,
): readonly string[] {
  const { content } = Object(message);
  if (!Array.isArray(content)) return [];
  return content.map(Object)
    .filter((block) => block.type === type && typeof block[key] === "string")
    .map((block) => block[key]);
}

function groupBy(
  lines: readonly TranscriptEntry[],
  keyOf: (line: TranscriptEntry) => string | undefined,
): ReadonlyMap<string, readonly TranscriptEntry[]> {
  const groups = new Map<string, TranscriptEntry[]>();
  for (const line of lines) {
    const key = keyOf(line);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(line);
    else groups.set(key, [line]);
  }
  return groups;
}

function byTime(a: TranscriptEntry, b: TranscriptEntry): number {
  return timeOf(a) < timeOf(b) ? -1 : timeOf(a) > timeOf(b) ? 1 : 0;
}

function timeOf({ timestamp }: TranscriptEntry): string {
  return String(timestamp ?? "");
}
