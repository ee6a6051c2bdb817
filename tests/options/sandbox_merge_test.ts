import assert from "node:assert/strict";
import type { CliSandboxSettings, JsonObject } from "@sluice/agent";
import type { Options } from "@sluice/agent/compat";
import { launchOf } from "../compat/_process.ts";
import { test } from "../_harness.ts";
import { sentFor } from "./_sent.ts";

const DENY = { path: "/c", mode: "deny" };
const MASK = { path: "/c", mode: "mask" };
const OTHER = { path: "/d", mode: "mask" };

/** The sandbox of `settings`, the option `sandbox`, and the merged sandbox. */
const CASES: readonly (readonly [
  name: string,
  settings: CliSandboxSettings,
  option: CliSandboxSettings,
  merged: JsonObject,
])[] = [
  [
    "paths of the option switch the file rules on again",
    { filesystem: { disabled: true, denyWrite: ["/w"] } },
    { filesystem: { denyRead: ["/r"] } },
    { filesystem: { denyWrite: ["/w"], denyRead: ["/r"] } },
  ],
  [
    "a denied credential file of the option switches the file rules on again",
    { filesystem: { disabled: true } },
    { credentials: { files: [DENY] } },
    { filesystem: {}, credentials: { files: [DENY] } },
  ],
  [
    "a masked credential file does not",
    { filesystem: { disabled: true } },
    { credentials: { files: [MASK] } },
    { filesystem: { disabled: true }, credentials: { files: [MASK] } },
  ],
  [
    "an option that disables the file rules itself keeps them disabled",
    { filesystem: { disabled: true } },
    { filesystem: { disabled: true, denyRead: ["/r"] } },
    { filesystem: { disabled: true, denyRead: ["/r"] } },
  ],
  ...[
    { allowedDomains: ["a"] },
    { allowedDomains: [] },
    { deniedDomains: ["a"] },
    { strictAllowlist: true },
  ].map((network) =>
    [
      "the proxy ports of the settings do not pass by the option's domains",
      { network: { httpProxyPort: 1, socksProxyPort: 2 } },
      { network },
      { network },
    ] as const
  ),
  [
    "the option sets a port beside domains",
    { network: { httpProxyPort: 1, socksProxyPort: 2 } },
    { network: { httpProxyPort: 3, allowedDomains: ["a"] } },
    { network: { httpProxyPort: 3, allowedDomains: ["a"] } },
  ],
  ...[
    { deniedDomains: [] },
    { strictAllowlist: false },
    { allowLocalBinding: true },
  ].map((network) =>
    [
      "an option without rules for domains keeps the ports",
      { network: { httpProxyPort: 1 } },
      { network },
      { network: { httpProxyPort: 1, ...network } },
    ] as const
  ),
  [
    "credential files of both sides are kept",
    { credentials: { files: [DENY, OTHER] } },
    { credentials: { files: [MASK] } },
    { credentials: { files: [DENY, OTHER, MASK] } },
  ],
  [
    "credential variables of both sides are kept",
    { credentials: { envVars: [{ name: "A", mode: "deny" }] } },
    { credentials: { envVars: [{ name: "B", mode: "mask" }] } },
    {
      credentials: {
        envVars: [{ name: "A", mode: "deny" }, { name: "B", mode: "mask" }],
      },
    },
  ],
  [
    "an empty list removes no entry",
    {
      credentials: { files: [OTHER] },
      filesystem: { denyRead: ["/r"], denyWrite: ["/w"] },
      network: { deniedDomains: ["a"] },
    },
    {
      credentials: { files: [] },
      filesystem: { denyRead: [], denyWrite: [] },
      network: { deniedDomains: [] },
    },
    {
      credentials: { files: [OTHER] },
      filesystem: { denyRead: ["/r"], denyWrite: ["/w"] },
      network: { deniedDomains: ["a"] },
    },
  ],
  [
    "a program and its arguments belong together",
    { ripgrep: { command: "x", args: ["--pre", "y"] } },
    { ripgrep: { command: "rg" } },
    { ripgrep: { command: "rg" } },
  ],
  [
    "a certificate and its key belong together",
    { network: { tlsTerminate: { caKeyPath: "/b" } } },
    { network: { tlsTerminate: { caCertPath: "/a" } } },
    { network: { tlsTerminate: { caCertPath: "/a" } } },
  ],
  [
    "only lists at the paths of restrictions are joined",
    { ignoreViolations: { denyRead: ["/a"] } },
    { ignoreViolations: { denyRead: ["/b"] } },
    { ignoreViolations: { denyRead: ["/b"] } },
  ],
];

for (const [name, settings, option, expected] of CASES) {
  test(`sandbox and settings.sandbox: ${name}: ${JSON.stringify(option)}`, async () => {
    const given = JSON.stringify(settings);
    const sandbox = { enabled: true, ...option };
    const merged = { ...expected, enabled: true, failIfUnavailable: true };
    for (
      const inline of [
        { sandbox: settings },
        JSON.stringify({ sandbox: settings }),
      ]
    ) {
      const { fields } = await sentFor({ sandbox, settings: inline });
      assert.deepEqual(fields.settings, { sandbox: merged });
      const { args } = await launchOf({
        sandbox: sandbox as Options["sandbox"],
        settings: inline as Options["settings"],
      });
      const sent = JSON.parse(args[args.indexOf("--settings") + 1] ?? "");
      assert.deepEqual(sent, { sandbox: merged });
    }
    assert.equal(JSON.stringify(settings), given, "the caller's object");
  });
}
