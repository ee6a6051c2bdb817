/** Longer tool names are refused by many models, and dropped by the CLI from 129 characters on. */
const LONGEST_NAME = 64;

/** How the CLI names a tool for the model. */
function modelName(server: string, tool: string): string {
  return `mcp__${plain(server)}__${plain(tool)}`;
}

/** What the CLI makes of every other character. */
function plain(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

/**
 * What the CLI would mis-route: names that become one, or do not reach the model as they are.
 *
 * It joins server and tool with `__` and says nothing when two become equal: one wins, and calls go there.
 * Source: MCP reference, section 2.
 *
 * @param servers Names of the servers, with the names of their tools as far as they are known
 * @returns One text a fault, `[]` when there is none
 */
export function lintNames(
  servers: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  return [
    ...Array.from(servers.keys(), faultsOfServer).flat(),
    ...equalServers([...servers.keys()]),
    ...faultsOfTools(servers),
  ];
}

function faultsOfServer(name: string): readonly string[] {
  const faults: string[] = [];
  if (name.includes("__")) {
    faults.push(
      `Name of MCP server "${name}" holds "__": the CLI takes what follows for the name of a tool`,
    );
  }
  if (name.startsWith("_") || name.endsWith("_")) {
    faults.push(
      `Name of MCP server "${name}" has "_" at an end: its tools may take the names of another server's`,
    );
  }
  return faults;
}

function equalServers(names: readonly string[]): readonly string[] {
  return twins(names.map((name) => [plain(name), `"${name}"`])).map(
    ([name, owners]) =>
      `MCP servers ${
        owners.join(" and ")
      } have one name for the CLI: "${name}"`,
  );
}

function faultsOfTools(
  servers: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const names = Array.from(
    servers,
    ([server, tools]) =>
      tools.map((tool): Named => [
        modelName(server, tool),
        `"${tool}" of "${server}"`,
      ]),
  ).flat();
  const tooLong = names
    .filter(([name]) => name.length > LONGEST_NAME)
    .map(([name, owner]) =>
      `Tool ${owner} has a name of ${name.length} characters for the model, many take ${LONGEST_NAME}: "${name}"`
    );
  const equal = twins(names).map(([name, owners]) =>
    `MCP tools ${
      owners.join(" and ")
    } have one name for the model, calls reach one of them only: "${name}"`
  );
  return [...equal, ...tooLong];
}

type Named = readonly [name: string, owner: string];

/** Names with more than one owner. */
function twins(
  names: readonly Named[],
): readonly (readonly [string, readonly string[]])[] {
  const owners = new Map<string, string[]>();
  for (const [name, owner] of names) {
    const known = owners.get(name);
    if (known === undefined) owners.set(name, [owner]);
    else known.push(owner);
  }
  return [...owners].filter(([, all]) => all.length > 1);
}
