/** Permissions to use tools. */
import {
  flag,
  known,
  list,
  literal,
  maybe,
  objectGiven,
  oneOf,
  part,
  ref,
  shape,
  text,
  type Topic,
  topic,
  union,
} from "./words.ts";

export const PERMISSIONS: Topic = topic("permissions", "Permissions", {
  PermissionMode: known(
    oneOf([
      "default",
      "acceptEdits",
      "bypassPermissions",
      "plan",
      "dontAsk",
      "auto",
    ], "Handling of tool calls that no rule covers"),
    { source: "Permissions" },
  ),
  PermissionDestination: oneOf([
    "userSettings",
    "projectSettings",
    "localSettings",
    "session",
    "cliArg",
  ], "Destination of a permission change"),
  PermissionRule: shape("One rule: a tool, and perhaps a scope", {
    toolName: text("Name of the tool"),
    ruleContent: maybe(text("Scope of the rule; absent = the whole tool")),
  }),
  PermissionUpdate: union([
    part({
      type: oneOf(
        ["addRules", "replaceRules", "removeRules"],
        "Adds, replaces or removes rules",
      ),
      rules: list(ref("PermissionRule"), "The rules"),
      behavior: oneOf(["allow", "deny", "ask"], "Effect of the rules"),
      destination: ref("PermissionDestination", "Destination of the change"),
    }),
    part({
      type: literal("setMode", "Sets the mode"),
      mode: ref("PermissionMode", "The mode"),
      destination: ref("PermissionDestination", "Destination of the change"),
    }),
    part({
      type: oneOf(
        ["addDirectories", "removeDirectories"],
        "Adds or removes directories that tools may touch",
      ),
      directories: list(text(), "The directories"),
      destination: ref("PermissionDestination", "Destination of the change"),
    }),
  ], "A change to the permissions, suggested by the CLI or made by a decision"),
  PermissionDecision: known(
    union(
      [
        part({
          behavior: literal("allow", "The tool may run"),
          updatedInput: maybe(objectGiven("The input it runs with")),
          updatedPermissions: maybe(
            list(
              ref("PermissionUpdate"),
              "Rules and modes that hold from now on",
            ),
          ),
        }),
        part({
          behavior: literal("deny", "The tool may not run"),
          message: text("Reason; the model reads it as the tool's result"),
          interrupt: maybe(
            flag("Whether the turn ends as well; default: false"),
          ),
        }),
      ],
      "Result of a permission callback.\n\n`updatedInput` replaces the whole tool input; an absent or empty one leaves it unchanged",
    ),
    { given: true },
  ),
});
