// Made from protocol/ by `npm run generate`; edit that.
/**
 * The official SDK's entry `./sdk-tools`: types alone. Inputs say their fields where they are published, outputs their
 * lists; all else is any.
 *
 * @module
 */
import type { Mutable } from "../src/compat/mod.ts";
import type { BuiltinToolInputs } from "../src/protocol/mod.ts";

/** An object of the CLI whose fields are not described here. */
// deno-lint-ignore no-explicit-any -- programs read fields of it by the official declarations
export type Undescribed = { [field: string]: any };

/** What is not described at all. */
// deno-lint-ignore no-explicit-any -- as above
export type Anything = any;

/** The input of any tool. */
export type ToolInputSchemas =
  | AgentInput
  | ArtifactInput
  | AskUserQuestionInput
  | BashInput
  | ClaudeDesignInput
  | CronCreateInput
  | CronDeleteInput
  | CronListInput
  | EnterPlanModeInput
  | EnterWorktreeInput
  | ExitPlanModeInput
  | ExitWorktreeInput
  | FileEditInput
  | FileReadInput
  | FileWriteInput
  | GlobInput
  | GrepInput
  | ListMcpResourcesInput
  | McpInput
  | MonitorInput
  | NotebookEditInput
  | OfferChromeSetupInput
  | ProjectsInput
  | ProposeGoalInput
  | ProposeSkillsInput
  | PushNotificationInput
  | ReadMcpResourceDirInput
  | ReadMcpResourceInput
  | ReadNotificationsInput
  | RefreshMcpToolsInput
  | RemoteTriggerInput
  | ReportFindingsInput
  | ScheduleWakeupInput
  | SendFeedbackInput
  | ShowOnboardingRolePickerInput
  | TaskCreateInput
  | TaskGetInput
  | TaskListInput
  | TaskStopInput
  | TaskUpdateInput
  | TodoWriteInput
  | WebFetchInput
  | WebSearchInput
  | WorkflowInput;

/** What any tool gives back. */
export type ToolOutputSchemas =
  | AgentOutput
  | ArtifactOutput
  | AskUserQuestionOutput
  | BashOutput
  | ClaudeDesignOutput
  | CronCreateOutput
  | CronDeleteOutput
  | CronListOutput
  | EnterPlanModeOutput
  | EnterWorktreeOutput
  | ExitPlanModeOutput
  | ExitWorktreeOutput
  | FileEditOutput
  | FileReadOutput
  | FileWriteOutput
  | GlobOutput
  | GrepOutput
  | ListMcpResourcesOutput
  | McpOutput
  | MonitorOutput
  | NotebookEditOutput
  | OfferChromeSetupOutput
  | ProjectsOutput
  | ProposeGoalOutput
  | ProposeSkillsOutput
  | PushNotificationOutput
  | ReadMcpResourceDirOutput
  | ReadMcpResourceOutput
  | ReadNotificationsOutput
  | RefreshMcpToolsOutput
  | RemoteTriggerOutput
  | ReportFindingsOutput
  | ScheduleWakeupOutput
  | SendFeedbackOutput
  | ShowOnboardingRolePickerOutput
  | TaskCreateOutput
  | TaskGetOutput
  | TaskListOutput
  | TaskStopOutput
  | TaskUpdateOutput
  | TodoWriteOutput
  | WebFetchOutput
  | WebSearchOutput
  | WorkflowOutput;

/** What `Agent` is called with. */
export type AgentInput = Mutable<BuiltinToolInputs["Agent"]>;

/** What `Artifact` is called with. */
export type ArtifactInput = Undescribed;

/** What `AskUserQuestion` is called with. */
export type AskUserQuestionInput = Mutable<
  BuiltinToolInputs["AskUserQuestion"]
>;

/** What `Bash` is called with. */
export type BashInput = Mutable<BuiltinToolInputs["Bash"]>;

/** What `ClaudeDesign` is called with. */
export type ClaudeDesignInput = Undescribed;

/** What `CronCreate` is called with. */
export type CronCreateInput = Mutable<BuiltinToolInputs["CronCreate"]>;

/** What `CronDelete` is called with. */
export type CronDeleteInput = Mutable<BuiltinToolInputs["CronDelete"]>;

/** What `CronList` is called with. */
export type CronListInput = Undescribed;

/** What `EnterPlanMode` is called with. */
export type EnterPlanModeInput = Undescribed;

/** What `EnterWorktree` is called with. */
export type EnterWorktreeInput = Mutable<BuiltinToolInputs["EnterWorktree"]>;

/** What `ExitPlanMode` is called with. */
export type ExitPlanModeInput = Mutable<BuiltinToolInputs["ExitPlanMode"]>;

/** What `ExitWorktree` is called with. */
export type ExitWorktreeInput = Mutable<BuiltinToolInputs["ExitWorktree"]>;

/** What `Edit` is called with. */
export type FileEditInput = Mutable<BuiltinToolInputs["Edit"]>;

/** What `Read` is called with. */
export type FileReadInput = Mutable<BuiltinToolInputs["Read"]>;

/** What `Write` is called with. */
export type FileWriteInput = Mutable<BuiltinToolInputs["Write"]>;

/** What `Glob` is called with. */
export type GlobInput = Mutable<BuiltinToolInputs["Glob"]>;

/** What `Grep` is called with. */
export type GrepInput = Mutable<BuiltinToolInputs["Grep"]>;

/** What `ListMcpResourcesTool` is called with. */
export type ListMcpResourcesInput = Mutable<
  BuiltinToolInputs["ListMcpResourcesTool"]
>;

/** What `Mcp` is called with. */
export type McpInput = Undescribed;

/** What `Monitor` is called with. */
export type MonitorInput = Mutable<BuiltinToolInputs["Monitor"]>;

/** What `NotebookEdit` is called with. */
export type NotebookEditInput = Mutable<BuiltinToolInputs["NotebookEdit"]>;

/** What `OfferChromeSetup` is called with. */
export type OfferChromeSetupInput = Undescribed;

/** What `Projects` is called with. */
export type ProjectsInput = Undescribed;

/** What `ProposeGoal` is called with. */
export type ProposeGoalInput = Undescribed;

/** What `ProposeSkills` is called with. */
export type ProposeSkillsInput = Undescribed;

/** What `PushNotification` is called with. */
export type PushNotificationInput = Undescribed;

/** What `ReadMcpResourceDirTool` is called with. */
export type ReadMcpResourceDirInput = Mutable<
  BuiltinToolInputs["ReadMcpResourceDirTool"]
>;

/** What `ReadMcpResourceTool` is called with. */
export type ReadMcpResourceInput = Mutable<
  BuiltinToolInputs["ReadMcpResourceTool"]
>;

/** What `ReadNotifications` is called with. */
export type ReadNotificationsInput = Undescribed;

/** What `RefreshMcpTools` is called with. */
export type RefreshMcpToolsInput = Undescribed;

/** What `RemoteTrigger` is called with. */
export type RemoteTriggerInput = Undescribed;

/** What `ReportFindings` is called with. */
export type ReportFindingsInput = Undescribed;

/** What `ScheduleWakeup` is called with. */
export type ScheduleWakeupInput = Mutable<BuiltinToolInputs["ScheduleWakeup"]>;

/** What `SendFeedback` is called with. */
export type SendFeedbackInput = Undescribed;

/** What `ShowOnboardingRolePicker` is called with. */
export type ShowOnboardingRolePickerInput = Undescribed;

/** What `TaskCreate` is called with. */
export type TaskCreateInput = Mutable<BuiltinToolInputs["TaskCreate"]>;

/** What `TaskGet` is called with. */
export type TaskGetInput = Mutable<BuiltinToolInputs["TaskGet"]>;

/** What `TaskList` is called with. */
export type TaskListInput = Undescribed;

/** What `TaskStop` is called with. */
export type TaskStopInput = Mutable<BuiltinToolInputs["TaskStop"]>;

/** What `TaskUpdate` is called with. */
export type TaskUpdateInput = Mutable<BuiltinToolInputs["TaskUpdate"]>;

/** What `TodoWrite` is called with. */
export type TodoWriteInput = Mutable<BuiltinToolInputs["TodoWrite"]>;

/** What `WebFetch` is called with. */
export type WebFetchInput = Mutable<BuiltinToolInputs["WebFetch"]>;

/** What `WebSearch` is called with. */
export type WebSearchInput = Mutable<BuiltinToolInputs["WebSearch"]>;

/** What `Workflow` is called with. */
export type WorkflowInput = Mutable<BuiltinToolInputs["Workflow"]>;

/** What `Agent` gives back. */
export type AgentOutput = Undescribed & {
  content: (Undescribed & { citations: Anything[] })[];
  modelsUsed: Anything[];
  toolsUsed: Anything[];
};

/** What `Artifact` gives back. */
export type ArtifactOutput = Undescribed & {
  warnings: Anything[];
  artifacts: Anything[];
  watch: Undescribed & { events: Anything[] };
  watches: (Undescribed & { events: Anything[] })[];
  arms: Anything[];
  asset_uploads: Undescribed & { results: Anything[] };
  asset_list: Undescribed & { assets: Anything[] };
};

/** What `AskUserQuestion` gives back. */
export type AskUserQuestionOutput = Undescribed & {
  questions: (Undescribed & { options: Anything[] })[];
};

/** What `Bash` gives back. */
export type BashOutput = Undescribed & { structuredContent: Anything[] };

/** What `ClaudeDesign` gives back. */
export type ClaudeDesignOutput = Undescribed & { content: Anything[] };

/** What `CronCreate` gives back. */
export type CronCreateOutput = Undescribed & { otherOneShots: Anything[] };

/** What `CronDelete` gives back. */
export type CronDeleteOutput = Undescribed;

/** What `CronList` gives back. */
export type CronListOutput = Undescribed & { jobs: Anything[] };

/** What `EnterPlanMode` gives back. */
export type EnterPlanModeOutput = Undescribed;

/** What `EnterWorktree` gives back. */
export type EnterWorktreeOutput = Undescribed;

/** What `ExitPlanMode` gives back. */
export type ExitPlanModeOutput = Undescribed;

/** What `ExitWorktree` gives back. */
export type ExitWorktreeOutput = Undescribed;

/** What `Edit` gives back. */
export type FileEditOutput = Undescribed & {
  structuredPatch: (Undescribed & { lines: Anything[] })[];
};

/** What `Read` gives back. */
export type FileReadOutput = Undescribed & {
  file: Undescribed & { cells: Anything[] };
  pages: Anything[];
};

/** What `Write` gives back. */
export type FileWriteOutput = Undescribed & {
  structuredPatch: (Undescribed & { lines: Anything[] })[];
};

/** What `Glob` gives back. */
export type GlobOutput = Undescribed & { filenames: Anything[] };

/** What `Grep` gives back. */
export type GrepOutput = Undescribed & { filenames: Anything[] };

/** What `ListMcpResourcesTool` gives back. */
export type ListMcpResourcesOutput = Anything[];

/** What `Mcp` gives back. */
export type McpOutput = Undescribed;

/** What `Monitor` gives back. */
export type MonitorOutput = Undescribed;

/** What `NotebookEdit` gives back. */
export type NotebookEditOutput = Undescribed;

/** What `OfferChromeSetup` gives back. */
export type OfferChromeSetupOutput = Undescribed;

/** What `Projects` gives back. */
export type ProjectsOutput = Undescribed & {
  docs: Anything[];
  files: Anything[];
  sync_sources: Anything[];
  hits: Anything[];
};

/** What `ProposeGoal` gives back. */
export type ProposeGoalOutput = Undescribed;

/** What `ProposeSkills` gives back. */
export type ProposeSkillsOutput = Undescribed;

/** What `PushNotification` gives back. */
export type PushNotificationOutput = Undescribed;

/** What `ReadMcpResourceDirTool` gives back. */
export type ReadMcpResourceDirOutput = Undescribed & { resources: Anything[] };

/** What `ReadMcpResourceTool` gives back. */
export type ReadMcpResourceOutput = Undescribed & { contents: Anything[] };

/** What `ReadNotifications` gives back. */
export type ReadNotificationsOutput = Undescribed & {
  notifications: Anything[];
};

/** What `RefreshMcpTools` gives back. */
export type RefreshMcpToolsOutput =
  (Undescribed & { added: Anything[]; removed: Anything[] })[];

/** What `RemoteTrigger` gives back. */
export type RemoteTriggerOutput = Undescribed;

/** What `ReportFindings` gives back. */
export type ReportFindingsOutput = Undescribed & { findings: Anything[] };

/** What `ScheduleWakeup` gives back. */
export type ScheduleWakeupOutput = Undescribed;

/** What `SendFeedback` gives back. */
export type SendFeedbackOutput = Undescribed;

/** What `ShowOnboardingRolePicker` gives back. */
export type ShowOnboardingRolePickerOutput = Undescribed;

/** What `TaskCreate` gives back. */
export type TaskCreateOutput = Undescribed;

/** What `TaskGet` gives back. */
export type TaskGetOutput = Undescribed & {
  task: Undescribed & { blocks: Anything[]; blockedBy: Anything[] };
};

/** What `TaskList` gives back. */
export type TaskListOutput = Undescribed & {
  tasks: (Undescribed & { blockedBy: Anything[] })[];
};

/** What `TaskStop` gives back. */
export type TaskStopOutput = Undescribed;

/** What `TaskUpdate` gives back. */
export type TaskUpdateOutput = Undescribed & { updatedFields: Anything[] };

/** What `TodoWrite` gives back. */
export type TodoWriteOutput = Undescribed & {
  oldTodos: Anything[];
  newTodos: Anything[];
};

/** What `WebFetch` gives back. */
export type WebFetchOutput = Undescribed;

/** What `WebSearch` gives back. */
export type WebSearchOutput = Undescribed & {
  results: (Undescribed & { content: Anything[] })[];
};

/** What `Workflow` gives back. */
export type WorkflowOutput = Undescribed;
