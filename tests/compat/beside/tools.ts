// Inputs and outputs of tools.
import type {
  AgentInput,
  AgentOutput,
  AskUserQuestionOutput,
  BashInput,
  BashOutput,
  ExitPlanModeOutput,
  FileEditInput,
  FileEditOutput,
  FileReadOutput,
  FileWriteOutput,
  GlobOutput,
  GrepOutput,
  ListMcpResourcesOutput,
  McpOutput,
  NotebookEditOutput,
  TaskStopOutput,
  TodoWriteInput,
  TodoWriteOutput,
  ToolInputSchemas,
  ToolOutputSchemas,
  WebFetchOutput,
  WebSearchOutput,
} from "@anthropic-ai/claude-agent-sdk/sdk-tools";
export function bash(o: BashOutput): string {
  const n: boolean = o.interrupted;
  const i: boolean | undefined = o.isImage;
  void i;
  return o.stdout + o.stderr + n + (o.backgroundTaskId ?? "").length;
}
export function read(o: FileReadOutput): string {
  switch (o.type) {
    case "text":
      return o.file.filePath + o.file.content + o.file.numLines +
        o.file.startLine + o.file.totalLines;
    case "image":
      return o.file.base64 + o.file.type + o.file.originalSize;
    case "notebook":
      return String(o.file.cells.length);
    case "pdf":
      return o.file.filePath;
    default:
      return "";
  }
}
export function edit(o: FileEditOutput): string[] {
  return o.structuredPatch.flatMap((h) =>
    h.lines.map((l) => `${h.oldStart + h.newStart} ${l}`)
  ).concat(
    o.filePath,
    o.oldString,
    o.newString,
    String(o.userModified),
    String(o.replaceAll),
  );
}
export function write(o: FileWriteOutput): string {
  return o.type === "create"
    ? o.content
    : o.filePath + (o.originalFile ?? "") + o.structuredPatch.length;
}
export function grep(o: GrepOutput): string {
  return o.filenames.join() + o.numFiles + (o.content ?? "") + (o.mode ?? "") +
    (o.numLines ?? 0);
}
export function glob(o: GlobOutput): string {
  return o.filenames.join() + o.durationMs + o.truncated + o.numFiles;
}
export function agent(o: AgentOutput): string {
  return o.status === "completed"
    ? o.content.map((c) => c.text).join("") + o.totalDurationMs +
      o.totalTokens + o.usage.output_tokens
    : o.status;
}
export function todo(o: TodoWriteOutput): string[] {
  return o.newTodos.map((t) => t.content + t.status + t.activeForm).concat(
    o.oldTodos.map((t) => t.content),
  );
}
export function fetch1(o: WebFetchOutput): string {
  return o.result + o.code + o.codeText + o.url + o.bytes + o.durationMs;
}
export function search(o: WebSearchOutput): string[] {
  return o.results.flatMap((r) =>
    typeof r === "string" ? [r] : r.content.map((c) => c.title + c.url)
  ).concat(o.query);
}
export function ask(o: AskUserQuestionOutput): string {
  return o.questions.map((q) => q.question + o.answers[q.question]).join();
}
export function plan(o: ExitPlanModeOutput): string {
  return (o.plan ?? "") + o.isAgent + (o.filePath ?? "");
}
export function all(o: ToolOutputSchemas): object | string | undefined {
  return o as object;
}
export const b: BashInput = {
  command: "ls",
  description: "x",
  run_in_background: true,
};
export const e: FileEditInput = {
  file_path: "a",
  old_string: "a",
  new_string: "b",
  replace_all: false,
};
export const t: TodoWriteInput = {
  todos: [{ content: "a", status: "pending", activeForm: "b" }],
};
export const a: AgentInput = {
  description: "a",
  prompt: "b",
  subagent_type: "c",
};
export const i: ToolInputSchemas = b;
export type X = [
  NotebookEditOutput,
  TaskStopOutput,
  McpOutput,
  ListMcpResourcesOutput,
];
