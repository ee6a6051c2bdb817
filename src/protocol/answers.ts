// Made from protocol/ by `npm run generate`; edit that.
import type { HookEvent } from "./hooks.ts";

/** JSON Schema of an answer, which has no fields but those described; members of an `anyOf` are distinguished by their first field. */
export interface Answer {
  /** Kind of value. */
  readonly type?: string;
  /** Words. */
  readonly enum?: readonly unknown[];
  /** Alternatives. */
  readonly anyOf?: readonly Answer[];
  /** Items of a list. */
  readonly items?: Answer;
  /** Fields by name. */
  readonly properties?: Readonly<Record<string, Answer>>;
  /** Fields that must be there. */
  readonly required?: readonly string[];
}

/** Answers of hosts. */
export const ANSWERS: Readonly<
  Record<
    | "DialogReply"
    | "HookOutputCommon"
    | "McpElicitationReply"
    | "PermissionResult"
    | "PermissionUpdate",
    Answer
  >
> = {
  "DialogReply": {
    "anyOf": [{
      "type": "object",
      "properties": { "behavior": { "enum": ["completed"] }, "result": {} },
      "required": ["behavior", "result"],
    }, {
      "type": "object",
      "properties": { "behavior": { "enum": ["cancelled"] } },
      "required": ["behavior"],
    }],
  },
  "HookOutputCommon": {
    "type": "object",
    "properties": {
      "continue": { "type": "boolean" },
      "suppressOutput": { "type": "boolean" },
      "stopReason": { "type": "string" },
      "decision": { "enum": ["approve", "block"] },
      "reason": { "type": "string" },
      "systemMessage": { "type": "string" },
      "terminalSequence": { "type": "string" },
    },
    "required": [],
  },
  "McpElicitationReply": {
    "type": "object",
    "properties": {
      "action": { "enum": ["accept", "decline", "cancel"] },
      "content": { "type": "object" },
    },
    "required": ["action"],
  },
  "PermissionResult": {
    "anyOf": [{
      "type": "object",
      "properties": {
        "behavior": { "enum": ["allow"] },
        "updatedInput": { "type": "object" },
        "updatedPermissions": {
          "type": "array",
          "items": {
            "anyOf": [{
              "type": "object",
              "properties": {
                "type": { "enum": ["addRules", "replaceRules", "removeRules"] },
                "rules": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "properties": {
                      "toolName": { "type": "string" },
                      "ruleContent": { "type": "string" },
                    },
                    "required": ["toolName"],
                  },
                },
                "behavior": { "enum": ["allow", "deny", "ask"] },
                "destination": {
                  "enum": [
                    "userSettings",
                    "projectSettings",
                    "localSettings",
                    "session",
                    "cliArg",
                  ],
                },
              },
              "required": ["type", "rules", "behavior", "destination"],
            }, {
              "type": "object",
              "properties": {
                "type": { "enum": ["setMode"] },
                "mode": {
                  "enum": [
                    "default",
                    "acceptEdits",
                    "bypassPermissions",
                    "plan",
                    "dontAsk",
                    "auto",
                  ],
                },
                "destination": {
                  "enum": [
                    "userSettings",
                    "projectSettings",
                    "localSettings",
                    "session",
                    "cliArg",
                  ],
                },
              },
              "required": ["type", "mode", "destination"],
            }, {
              "type": "object",
              "properties": {
                "type": { "enum": ["addDirectories", "removeDirectories"] },
                "directories": {
                  "type": "array",
                  "items": { "type": "string" },
                },
                "destination": {
                  "enum": [
                    "userSettings",
                    "projectSettings",
                    "localSettings",
                    "session",
                    "cliArg",
                  ],
                },
              },
              "required": ["type", "directories", "destination"],
            }],
          },
        },
        "toolUseID": { "type": "string" },
        "decisionClassification": {
          "enum": ["user_temporary", "user_permanent", "user_reject"],
        },
      },
      "required": ["behavior"],
    }, {
      "type": "object",
      "properties": {
        "behavior": { "enum": ["deny"] },
        "message": { "type": "string" },
        "interrupt": { "type": "boolean" },
        "toolUseID": { "type": "string" },
        "decisionClassification": {
          "enum": ["user_temporary", "user_permanent", "user_reject"],
        },
      },
      "required": ["behavior", "message"],
    }],
  },
  "PermissionUpdate": {
    "anyOf": [{
      "type": "object",
      "properties": {
        "type": { "enum": ["addRules", "replaceRules", "removeRules"] },
        "rules": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "toolName": { "type": "string" },
              "ruleContent": { "type": "string" },
            },
            "required": ["toolName"],
          },
        },
        "behavior": { "enum": ["allow", "deny", "ask"] },
        "destination": {
          "enum": [
            "userSettings",
            "projectSettings",
            "localSettings",
            "session",
            "cliArg",
          ],
        },
      },
      "required": ["type", "rules", "behavior", "destination"],
    }, {
      "type": "object",
      "properties": {
        "type": { "enum": ["setMode"] },
        "mode": {
          "enum": [
            "default",
            "acceptEdits",
            "bypassPermissions",
            "plan",
            "dontAsk",
            "auto",
          ],
        },
        "destination": {
          "enum": [
            "userSettings",
            "projectSettings",
            "localSettings",
            "session",
            "cliArg",
          ],
        },
      },
      "required": ["type", "mode", "destination"],
    }, {
      "type": "object",
      "properties": {
        "type": { "enum": ["addDirectories", "removeDirectories"] },
        "directories": { "type": "array", "items": { "type": "string" } },
        "destination": {
          "enum": [
            "userSettings",
            "projectSettings",
            "localSettings",
            "session",
            "cliArg",
          ],
        },
      },
      "required": ["type", "directories", "destination"],
    }],
  },
};

/** Output of hooks that belongs to one event. */
export const HOOK_ANSWERS: Readonly<Record<HookEvent, Answer>> = {
  "PreToolUse": {
    "type": "object",
    "properties": {
      "additionalContext": { "type": "string" },
      "hookEventName": { "enum": ["PreToolUse"] },
      "permissionDecision": { "enum": ["allow", "deny", "ask", "defer"] },
      "permissionDecisionReason": { "type": "string" },
      "updatedInput": { "type": "object" },
    },
    "required": ["hookEventName"],
  },
  "PostToolUse": {
    "type": "object",
    "properties": {
      "additionalContext": { "type": "string" },
      "hookEventName": { "enum": ["PostToolUse"] },
      "classifierContext": { "type": "string" },
      "updatedToolOutput": {},
      "updatedMCPToolOutput": {},
    },
    "required": ["hookEventName"],
  },
  "PostToolUseFailure": {
    "type": "object",
    "properties": {
      "additionalContext": { "type": "string" },
      "hookEventName": { "enum": ["PostToolUseFailure"] },
    },
    "required": ["hookEventName"],
  },
  "PostToolBatch": {
    "type": "object",
    "properties": {
      "additionalContext": { "type": "string" },
      "hookEventName": { "enum": ["PostToolBatch"] },
    },
    "required": ["hookEventName"],
  },
  "Notification": {
    "type": "object",
    "properties": {
      "additionalContext": { "type": "string" },
      "hookEventName": { "enum": ["Notification"] },
    },
    "required": ["hookEventName"],
  },
  "UserPromptSubmit": {
    "type": "object",
    "properties": {
      "additionalContext": { "type": "string" },
      "hookEventName": { "enum": ["UserPromptSubmit"] },
      "sessionTitle": { "type": "string" },
      "suppressOriginalPrompt": { "type": "boolean" },
    },
    "required": ["hookEventName"],
  },
  "UserPromptExpansion": {
    "type": "object",
    "properties": {
      "additionalContext": { "type": "string" },
      "hookEventName": { "enum": ["UserPromptExpansion"] },
      "suppressOriginalPrompt": { "type": "boolean" },
    },
    "required": ["hookEventName"],
  },
  "SessionStart": {
    "type": "object",
    "properties": {
      "additionalContext": { "type": "string" },
      "watchPaths": { "type": "array", "items": { "type": "string" } },
      "hookEventName": { "enum": ["SessionStart"] },
      "initialUserMessage": { "type": "string" },
      "sessionTitle": { "type": "string" },
      "reloadSkills": { "type": "boolean" },
    },
    "required": ["hookEventName"],
  },
  "SessionEnd": {
    "type": "object",
    "properties": { "hookEventName": { "enum": ["SessionEnd"] } },
    "required": ["hookEventName"],
  },
  "Stop": {
    "type": "object",
    "properties": {
      "additionalContext": { "type": "string" },
      "hookEventName": { "enum": ["Stop"] },
    },
    "required": ["hookEventName"],
  },
  "StopFailure": {
    "type": "object",
    "properties": { "hookEventName": { "enum": ["StopFailure"] } },
    "required": ["hookEventName"],
  },
  "SubagentStart": {
    "type": "object",
    "properties": {
      "additionalContext": { "type": "string" },
      "hookEventName": { "enum": ["SubagentStart"] },
    },
    "required": ["hookEventName"],
  },
  "SubagentStop": {
    "type": "object",
    "properties": {
      "additionalContext": { "type": "string" },
      "hookEventName": { "enum": ["SubagentStop"] },
    },
    "required": ["hookEventName"],
  },
  "PreCompact": {
    "type": "object",
    "properties": { "hookEventName": { "enum": ["PreCompact"] } },
    "required": ["hookEventName"],
  },
  "PostCompact": {
    "type": "object",
    "properties": { "hookEventName": { "enum": ["PostCompact"] } },
    "required": ["hookEventName"],
  },
  "PreModelSwitch": {
    "type": "object",
    "properties": {
      "hookEventName": { "enum": ["PreModelSwitch"] },
      "permissionDecision": { "enum": ["allow", "deny", "ask"] },
      "permissionDecisionReason": { "type": "string" },
    },
    "required": ["hookEventName"],
  },
  "PostModelSwitch": {
    "type": "object",
    "properties": {
      "additionalContext": { "type": "string" },
      "hookEventName": { "enum": ["PostModelSwitch"] },
    },
    "required": ["hookEventName"],
  },
  "PermissionRequest": {
    "type": "object",
    "properties": {
      "hookEventName": { "enum": ["PermissionRequest"] },
      "decision": {
        "anyOf": [{
          "type": "object",
          "properties": {
            "behavior": { "enum": ["allow"] },
            "updatedInput": { "type": "object" },
            "updatedPermissions": {
              "type": "array",
              "items": {
                "anyOf": [{
                  "type": "object",
                  "properties": {
                    "type": {
                      "enum": ["addRules", "replaceRules", "removeRules"],
                    },
                    "rules": {
                      "type": "array",
                      "items": {
                        "type": "object",
                        "properties": {
                          "toolName": { "type": "string" },
                          "ruleContent": { "type": "string" },
                        },
                        "required": ["toolName"],
                      },
                    },
                    "behavior": { "enum": ["allow", "deny", "ask"] },
                    "destination": {
                      "enum": [
                        "userSettings",
                        "projectSettings",
                        "localSettings",
                        "session",
                        "cliArg",
                      ],
                    },
                  },
                  "required": ["type", "rules", "behavior", "destination"],
                }, {
                  "type": "object",
                  "properties": {
                    "type": { "enum": ["setMode"] },
                    "mode": {
                      "enum": [
                        "default",
                        "acceptEdits",
                        "bypassPermissions",
                        "plan",
                        "dontAsk",
                        "auto",
                      ],
                    },
                    "destination": {
                      "enum": [
                        "userSettings",
                        "projectSettings",
                        "localSettings",
                        "session",
                        "cliArg",
                      ],
                    },
                  },
                  "required": ["type", "mode", "destination"],
                }, {
                  "type": "object",
                  "properties": {
                    "type": { "enum": ["addDirectories", "removeDirectories"] },
                    "directories": {
                      "type": "array",
                      "items": { "type": "string" },
                    },
                    "destination": {
                      "enum": [
                        "userSettings",
                        "projectSettings",
                        "localSettings",
                        "session",
                        "cliArg",
                      ],
                    },
                  },
                  "required": ["type", "directories", "destination"],
                }],
              },
            },
          },
          "required": ["behavior"],
        }, {
          "type": "object",
          "properties": {
            "behavior": { "enum": ["deny"] },
            "message": { "type": "string" },
            "interrupt": { "type": "boolean" },
          },
          "required": ["behavior"],
        }],
      },
    },
    "required": ["hookEventName", "decision"],
  },
  "PermissionDenied": {
    "type": "object",
    "properties": {
      "hookEventName": { "enum": ["PermissionDenied"] },
      "retry": { "type": "boolean" },
    },
    "required": ["hookEventName"],
  },
  "Setup": {
    "type": "object",
    "properties": {
      "additionalContext": { "type": "string" },
      "hookEventName": { "enum": ["Setup"] },
    },
    "required": ["hookEventName"],
  },
  "TeammateIdle": {
    "type": "object",
    "properties": { "hookEventName": { "enum": ["TeammateIdle"] } },
    "required": ["hookEventName"],
  },
  "TaskCreated": {
    "type": "object",
    "properties": { "hookEventName": { "enum": ["TaskCreated"] } },
    "required": ["hookEventName"],
  },
  "TaskCompleted": {
    "type": "object",
    "properties": { "hookEventName": { "enum": ["TaskCompleted"] } },
    "required": ["hookEventName"],
  },
  "Elicitation": {
    "type": "object",
    "properties": {
      "action": { "enum": ["accept", "decline", "cancel"] },
      "content": { "type": "object" },
      "hookEventName": { "enum": ["Elicitation"] },
    },
    "required": ["hookEventName"],
  },
  "ElicitationResult": {
    "type": "object",
    "properties": {
      "action": { "enum": ["accept", "decline", "cancel"] },
      "content": { "type": "object" },
      "hookEventName": { "enum": ["ElicitationResult"] },
    },
    "required": ["hookEventName"],
  },
  "ConfigChange": {
    "type": "object",
    "properties": { "hookEventName": { "enum": ["ConfigChange"] } },
    "required": ["hookEventName"],
  },
  "WorktreeCreate": {
    "type": "object",
    "properties": {
      "hookEventName": { "enum": ["WorktreeCreate"] },
      "worktreePath": { "type": "string" },
    },
    "required": ["hookEventName", "worktreePath"],
  },
  "WorktreeRemove": {
    "type": "object",
    "properties": { "hookEventName": { "enum": ["WorktreeRemove"] } },
    "required": ["hookEventName"],
  },
  "InstructionsLoaded": {
    "type": "object",
    "properties": { "hookEventName": { "enum": ["InstructionsLoaded"] } },
    "required": ["hookEventName"],
  },
  "CwdChanged": {
    "type": "object",
    "properties": {
      "watchPaths": { "type": "array", "items": { "type": "string" } },
      "hookEventName": { "enum": ["CwdChanged"] },
    },
    "required": ["hookEventName"],
  },
  "FileChanged": {
    "type": "object",
    "properties": {
      "watchPaths": { "type": "array", "items": { "type": "string" } },
      "hookEventName": { "enum": ["FileChanged"] },
    },
    "required": ["hookEventName"],
  },
  "DirectoryAdded": {
    "type": "object",
    "properties": { "hookEventName": { "enum": ["DirectoryAdded"] } },
    "required": ["hookEventName"],
  },
  "MessageDisplay": {
    "type": "object",
    "properties": {
      "hookEventName": { "enum": ["MessageDisplay"] },
      "displayContent": { "type": "string" },
    },
    "required": ["hookEventName"],
  },
  "PreSkillShellCommand": {
    "type": "object",
    "properties": {
      "hookEventName": { "enum": ["PreSkillShellCommand"] },
      "permissionDecision": { "enum": ["allow", "deny", "ask", "defer"] },
      "permissionDecisionReason": { "type": "string" },
      "updatedInput": { "type": "object" },
    },
    "required": ["hookEventName"],
  },
};
