// Made from protocol/ by `npm run generate`; edit that.
import type { HookEvent } from "./hooks.ts";

/** The form of a value: a kind of value, words, a list, fields, or fields by the word in one of them. */
export type Form =
  | "text"
  | "number"
  | "flag"
  | "object"
  | "any"
  | { readonly words: readonly string[] }
  | { readonly list: Form }
  | FieldsForm
  | {
    readonly by: string;
    readonly kinds: Readonly<Record<string, FieldsForm>>;
  };

/** An object with these fields and no others. */
export interface FieldsForm {
  /** The fields, by name. */
  readonly fields: Readonly<Record<string, Form>>;
  /** Those that must be there. */
  readonly required: readonly string[];
}

/** What hosts answer. */
export const ANSWERS: {
  readonly DialogReply: Form;
  readonly HookOutputCommon: FieldsForm;
  readonly McpElicitationReply: FieldsForm;
  readonly PermissionResult: Form;
  readonly PermissionUpdate: Form;
} = {
  "DialogReply": {
    "by": "behavior",
    "kinds": {
      "completed": { "fields": { "result": "any" }, "required": ["result"] },
      "cancelled": { "fields": {}, "required": [] },
    },
  },
  "HookOutputCommon": {
    "fields": {
      "continue": "flag",
      "suppressOutput": "flag",
      "stopReason": "text",
      "decision": { "words": ["approve", "block"] },
      "reason": "text",
      "systemMessage": "text",
      "terminalSequence": "text",
    },
    "required": [],
  },
  "McpElicitationReply": {
    "fields": {
      "action": { "words": ["accept", "decline", "cancel"] },
      "content": "object",
    },
    "required": ["action"],
  },
  "PermissionResult": {
    "by": "behavior",
    "kinds": {
      "allow": {
        "fields": {
          "updatedInput": "object",
          "updatedPermissions": {
            "list": {
              "by": "type",
              "kinds": {
                "addRules": {
                  "fields": {
                    "rules": {
                      "list": {
                        "fields": { "toolName": "text", "ruleContent": "text" },
                        "required": ["toolName"],
                      },
                    },
                    "behavior": { "words": ["allow", "deny", "ask"] },
                    "destination": {
                      "words": [
                        "userSettings",
                        "projectSettings",
                        "localSettings",
                        "session",
                        "cliArg",
                      ],
                    },
                  },
                  "required": ["rules", "behavior", "destination"],
                },
                "replaceRules": {
                  "fields": {
                    "rules": {
                      "list": {
                        "fields": { "toolName": "text", "ruleContent": "text" },
                        "required": ["toolName"],
                      },
                    },
                    "behavior": { "words": ["allow", "deny", "ask"] },
                    "destination": {
                      "words": [
                        "userSettings",
                        "projectSettings",
                        "localSettings",
                        "session",
                        "cliArg",
                      ],
                    },
                  },
                  "required": ["rules", "behavior", "destination"],
                },
                "removeRules": {
                  "fields": {
                    "rules": {
                      "list": {
                        "fields": { "toolName": "text", "ruleContent": "text" },
                        "required": ["toolName"],
                      },
                    },
                    "behavior": { "words": ["allow", "deny", "ask"] },
                    "destination": {
                      "words": [
                        "userSettings",
                        "projectSettings",
                        "localSettings",
                        "session",
                        "cliArg",
                      ],
                    },
                  },
                  "required": ["rules", "behavior", "destination"],
                },
                "setMode": {
                  "fields": {
                    "mode": {
                      "words": [
                        "default",
                        "acceptEdits",
                        "bypassPermissions",
                        "plan",
                        "dontAsk",
                        "auto",
                      ],
                    },
                    "destination": {
                      "words": [
                        "userSettings",
                        "projectSettings",
                        "localSettings",
                        "session",
                        "cliArg",
                      ],
                    },
                  },
                  "required": ["mode", "destination"],
                },
                "addDirectories": {
                  "fields": {
                    "directories": { "list": "text" },
                    "destination": {
                      "words": [
                        "userSettings",
                        "projectSettings",
                        "localSettings",
                        "session",
                        "cliArg",
                      ],
                    },
                  },
                  "required": ["directories", "destination"],
                },
                "removeDirectories": {
                  "fields": {
                    "directories": { "list": "text" },
                    "destination": {
                      "words": [
                        "userSettings",
                        "projectSettings",
                        "localSettings",
                        "session",
                        "cliArg",
                      ],
                    },
                  },
                  "required": ["directories", "destination"],
                },
              },
            },
          },
          "toolUseID": "text",
          "decisionClassification": {
            "words": ["user_temporary", "user_permanent", "user_reject"],
          },
        },
        "required": [],
      },
      "deny": {
        "fields": {
          "message": "text",
          "interrupt": "flag",
          "toolUseID": "text",
          "decisionClassification": {
            "words": ["user_temporary", "user_permanent", "user_reject"],
          },
        },
        "required": ["message"],
      },
    },
  },
  "PermissionUpdate": {
    "by": "type",
    "kinds": {
      "addRules": {
        "fields": {
          "rules": {
            "list": {
              "fields": { "toolName": "text", "ruleContent": "text" },
              "required": ["toolName"],
            },
          },
          "behavior": { "words": ["allow", "deny", "ask"] },
          "destination": {
            "words": [
              "userSettings",
              "projectSettings",
              "localSettings",
              "session",
              "cliArg",
            ],
          },
        },
        "required": ["rules", "behavior", "destination"],
      },
      "replaceRules": {
        "fields": {
          "rules": {
            "list": {
              "fields": { "toolName": "text", "ruleContent": "text" },
              "required": ["toolName"],
            },
          },
          "behavior": { "words": ["allow", "deny", "ask"] },
          "destination": {
            "words": [
              "userSettings",
              "projectSettings",
              "localSettings",
              "session",
              "cliArg",
            ],
          },
        },
        "required": ["rules", "behavior", "destination"],
      },
      "removeRules": {
        "fields": {
          "rules": {
            "list": {
              "fields": { "toolName": "text", "ruleContent": "text" },
              "required": ["toolName"],
            },
          },
          "behavior": { "words": ["allow", "deny", "ask"] },
          "destination": {
            "words": [
              "userSettings",
              "projectSettings",
              "localSettings",
              "session",
              "cliArg",
            ],
          },
        },
        "required": ["rules", "behavior", "destination"],
      },
      "setMode": {
        "fields": {
          "mode": {
            "words": [
              "default",
              "acceptEdits",
              "bypassPermissions",
              "plan",
              "dontAsk",
              "auto",
            ],
          },
          "destination": {
            "words": [
              "userSettings",
              "projectSettings",
              "localSettings",
              "session",
              "cliArg",
            ],
          },
        },
        "required": ["mode", "destination"],
      },
      "addDirectories": {
        "fields": {
          "directories": { "list": "text" },
          "destination": {
            "words": [
              "userSettings",
              "projectSettings",
              "localSettings",
              "session",
              "cliArg",
            ],
          },
        },
        "required": ["directories", "destination"],
      },
      "removeDirectories": {
        "fields": {
          "directories": { "list": "text" },
          "destination": {
            "words": [
              "userSettings",
              "projectSettings",
              "localSettings",
              "session",
              "cliArg",
            ],
          },
        },
        "required": ["directories", "destination"],
      },
    },
  },
};

/** What hooks may say for their event alone. */
export const HOOK_ANSWERS: Readonly<Record<HookEvent, FieldsForm>> = {
  "PreToolUse": {
    "fields": {
      "additionalContext": "text",
      "hookEventName": { "words": ["PreToolUse"] },
      "permissionDecision": { "words": ["allow", "deny", "ask", "defer"] },
      "permissionDecisionReason": "text",
      "updatedInput": "object",
    },
    "required": ["hookEventName"],
  },
  "PostToolUse": {
    "fields": {
      "additionalContext": "text",
      "hookEventName": { "words": ["PostToolUse"] },
      "classifierContext": "text",
      "updatedToolOutput": "any",
      "updatedMCPToolOutput": "any",
    },
    "required": ["hookEventName"],
  },
  "PostToolUseFailure": {
    "fields": {
      "additionalContext": "text",
      "hookEventName": { "words": ["PostToolUseFailure"] },
    },
    "required": ["hookEventName"],
  },
  "PostToolBatch": {
    "fields": {
      "additionalContext": "text",
      "hookEventName": { "words": ["PostToolBatch"] },
    },
    "required": ["hookEventName"],
  },
  "Notification": {
    "fields": {
      "additionalContext": "text",
      "hookEventName": { "words": ["Notification"] },
    },
    "required": ["hookEventName"],
  },
  "UserPromptSubmit": {
    "fields": {
      "additionalContext": "text",
      "hookEventName": { "words": ["UserPromptSubmit"] },
      "sessionTitle": "text",
      "suppressOriginalPrompt": "flag",
    },
    "required": ["hookEventName"],
  },
  "UserPromptExpansion": {
    "fields": {
      "additionalContext": "text",
      "hookEventName": { "words": ["UserPromptExpansion"] },
      "suppressOriginalPrompt": "flag",
    },
    "required": ["hookEventName"],
  },
  "SessionStart": {
    "fields": {
      "additionalContext": "text",
      "watchPaths": { "list": "text" },
      "hookEventName": { "words": ["SessionStart"] },
      "initialUserMessage": "text",
      "sessionTitle": "text",
      "reloadSkills": "flag",
    },
    "required": ["hookEventName"],
  },
  "SessionEnd": {
    "fields": { "hookEventName": { "words": ["SessionEnd"] } },
    "required": ["hookEventName"],
  },
  "Stop": {
    "fields": {
      "additionalContext": "text",
      "hookEventName": { "words": ["Stop"] },
    },
    "required": ["hookEventName"],
  },
  "StopFailure": {
    "fields": { "hookEventName": { "words": ["StopFailure"] } },
    "required": ["hookEventName"],
  },
  "SubagentStart": {
    "fields": {
      "additionalContext": "text",
      "hookEventName": { "words": ["SubagentStart"] },
    },
    "required": ["hookEventName"],
  },
  "SubagentStop": {
    "fields": {
      "additionalContext": "text",
      "hookEventName": { "words": ["SubagentStop"] },
    },
    "required": ["hookEventName"],
  },
  "PreCompact": {
    "fields": { "hookEventName": { "words": ["PreCompact"] } },
    "required": ["hookEventName"],
  },
  "PostCompact": {
    "fields": { "hookEventName": { "words": ["PostCompact"] } },
    "required": ["hookEventName"],
  },
  "PreModelSwitch": {
    "fields": {
      "hookEventName": { "words": ["PreModelSwitch"] },
      "permissionDecision": { "words": ["allow", "deny", "ask"] },
      "permissionDecisionReason": "text",
    },
    "required": ["hookEventName"],
  },
  "PostModelSwitch": {
    "fields": {
      "additionalContext": "text",
      "hookEventName": { "words": ["PostModelSwitch"] },
    },
    "required": ["hookEventName"],
  },
  "PermissionRequest": {
    "fields": {
      "hookEventName": { "words": ["PermissionRequest"] },
      "decision": {
        "by": "behavior",
        "kinds": {
          "allow": {
            "fields": {
              "updatedInput": "object",
              "updatedPermissions": {
                "list": {
                  "by": "type",
                  "kinds": {
                    "addRules": {
                      "fields": {
                        "rules": {
                          "list": {
                            "fields": {
                              "toolName": "text",
                              "ruleContent": "text",
                            },
                            "required": ["toolName"],
                          },
                        },
                        "behavior": { "words": ["allow", "deny", "ask"] },
                        "destination": {
                          "words": [
                            "userSettings",
                            "projectSettings",
                            "localSettings",
                            "session",
                            "cliArg",
                          ],
                        },
                      },
                      "required": ["rules", "behavior", "destination"],
                    },
                    "replaceRules": {
                      "fields": {
                        "rules": {
                          "list": {
                            "fields": {
                              "toolName": "text",
                              "ruleContent": "text",
                            },
                            "required": ["toolName"],
                          },
                        },
                        "behavior": { "words": ["allow", "deny", "ask"] },
                        "destination": {
                          "words": [
                            "userSettings",
                            "projectSettings",
                            "localSettings",
                            "session",
                            "cliArg",
                          ],
                        },
                      },
                      "required": ["rules", "behavior", "destination"],
                    },
                    "removeRules": {
                      "fields": {
                        "rules": {
                          "list": {
                            "fields": {
                              "toolName": "text",
                              "ruleContent": "text",
                            },
                            "required": ["toolName"],
                          },
                        },
                        "behavior": { "words": ["allow", "deny", "ask"] },
                        "destination": {
                          "words": [
                            "userSettings",
                            "projectSettings",
                            "localSettings",
                            "session",
                            "cliArg",
                          ],
                        },
                      },
                      "required": ["rules", "behavior", "destination"],
                    },
                    "setMode": {
                      "fields": {
                        "mode": {
                          "words": [
                            "default",
                            "acceptEdits",
                            "bypassPermissions",
                            "plan",
                            "dontAsk",
                            "auto",
                          ],
                        },
                        "destination": {
                          "words": [
                            "userSettings",
                            "projectSettings",
                            "localSettings",
                            "session",
                            "cliArg",
                          ],
                        },
                      },
                      "required": ["mode", "destination"],
                    },
                    "addDirectories": {
                      "fields": {
                        "directories": { "list": "text" },
                        "destination": {
                          "words": [
                            "userSettings",
                            "projectSettings",
                            "localSettings",
                            "session",
                            "cliArg",
                          ],
                        },
                      },
                      "required": ["directories", "destination"],
                    },
                    "removeDirectories": {
                      "fields": {
                        "directories": { "list": "text" },
                        "destination": {
                          "words": [
                            "userSettings",
                            "projectSettings",
                            "localSettings",
                            "session",
                            "cliArg",
                          ],
                        },
                      },
                      "required": ["directories", "destination"],
                    },
                  },
                },
              },
            },
            "required": [],
          },
          "deny": {
            "fields": { "message": "text", "interrupt": "flag" },
            "required": [],
          },
        },
      },
    },
    "required": ["hookEventName", "decision"],
  },
  "PermissionDenied": {
    "fields": {
      "hookEventName": { "words": ["PermissionDenied"] },
      "retry": "flag",
    },
    "required": ["hookEventName"],
  },
  "Setup": {
    "fields": {
      "additionalContext": "text",
      "hookEventName": { "words": ["Setup"] },
    },
    "required": ["hookEventName"],
  },
  "TeammateIdle": {
    "fields": { "hookEventName": { "words": ["TeammateIdle"] } },
    "required": ["hookEventName"],
  },
  "TaskCreated": {
    "fields": { "hookEventName": { "words": ["TaskCreated"] } },
    "required": ["hookEventName"],
  },
  "TaskCompleted": {
    "fields": { "hookEventName": { "words": ["TaskCompleted"] } },
    "required": ["hookEventName"],
  },
  "Elicitation": {
    "fields": {
      "action": { "words": ["accept", "decline", "cancel"] },
      "content": "object",
      "hookEventName": { "words": ["Elicitation"] },
    },
    "required": ["hookEventName"],
  },
  "ElicitationResult": {
    "fields": {
      "action": { "words": ["accept", "decline", "cancel"] },
      "content": "object",
      "hookEventName": { "words": ["ElicitationResult"] },
    },
    "required": ["hookEventName"],
  },
  "ConfigChange": {
    "fields": { "hookEventName": { "words": ["ConfigChange"] } },
    "required": ["hookEventName"],
  },
  "WorktreeCreate": {
    "fields": {
      "hookEventName": { "words": ["WorktreeCreate"] },
      "worktreePath": "text",
    },
    "required": ["hookEventName", "worktreePath"],
  },
  "WorktreeRemove": {
    "fields": { "hookEventName": { "words": ["WorktreeRemove"] } },
    "required": ["hookEventName"],
  },
  "InstructionsLoaded": {
    "fields": { "hookEventName": { "words": ["InstructionsLoaded"] } },
    "required": ["hookEventName"],
  },
  "CwdChanged": {
    "fields": {
      "watchPaths": { "list": "text" },
      "hookEventName": { "words": ["CwdChanged"] },
    },
    "required": ["hookEventName"],
  },
  "FileChanged": {
    "fields": {
      "watchPaths": { "list": "text" },
      "hookEventName": { "words": ["FileChanged"] },
    },
    "required": ["hookEventName"],
  },
  "DirectoryAdded": {
    "fields": { "hookEventName": { "words": ["DirectoryAdded"] } },
    "required": ["hookEventName"],
  },
  "MessageDisplay": {
    "fields": {
      "hookEventName": { "words": ["MessageDisplay"] },
      "displayContent": "text",
    },
    "required": ["hookEventName"],
  },
};
