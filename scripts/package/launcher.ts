import { OLDEST } from "../../src/command/oldest_runtimes.ts";

/** The file behind `npx sluice`, in the words of any Node with modules: what it loads is checked first to run there. */
export function launcher(): string {
  const [major, minor] = OLDEST.node;
  return `#!/usr/bin/env node
import process from "node:process";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < ${major} || (major === ${major} && minor < ${minor})) {
  console.error("error: sluice needs Node ${major}.${minor} or later, and this is Node " + process.versions.node);
  process.exitCode = 1;
} else {
  import("./command.js")
    .then(({ sluice }) => sluice())
    .then((code) => process.exit(code));
}
`;
}
