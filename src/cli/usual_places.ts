import { isWindows } from "../process/paths.ts";
import { variable } from "../process/variables.ts";

/** What the usual places depend on. */
export interface PlacesInit {
  /** Operating system. */
  readonly platform: string;
  /** The environment to search by. */
  readonly env: Readonly<Record<string, string>>;
  /** The user's home. */
  readonly home: string | undefined;
  /** The `prefix` of the user's npm configuration. */
  readonly npmPrefix?: string | undefined;
}

/**
 * Directories in which installers put a `claude`, the likeliest first.
 *
 * One whose variable or home is unknown is left out.
 */
export function usualPlaces(init: PlacesInit): string[] {
  return isWindows(init.platform) ? windowsPlaces(init) : unixPlaces(init);
}

function unixPlaces(init: PlacesInit): string[] {
  const { env, home, npmPrefix, platform } = init;
  const isMac = platform === "darwin";
  const own = (path: string) => below(home, path);
  const places = [
    // The native installer, and the older local install.
    own(".local/bin"),
    own(".claude/local"),
    own(".claude/local/node_modules/.bin"),
    below(env.npm_config_prefix, "bin"),
    below(env.NPM_CONFIG_PREFIX, "bin"),
    below(npmPrefix, "bin"),
    own(".npm-global/bin"),
    own(".npm-packages/bin"),
    below(env.PNPM_HOME, ""),
    own(isMac ? "Library/pnpm" : ".local/share/pnpm"),
    below(env.BUN_INSTALL, "bin"),
    own(".bun/bin"),
    own(".yarn/bin"),
    own(".config/yarn/global/node_modules/.bin"),
    below(env.VOLTA_HOME, "bin"),
    own(".volta/bin"),
    below(env.ASDF_DATA_DIR, "shims"),
    own(".asdf/shims"),
    own(".local/share/mise/shims"),
    below(env.NVM_BIN, ""),
    own(".nvm/current/bin"),
    ...(isMac ? ["/opt/homebrew/bin"] : []),
    "/usr/local/bin",
    ...(isMac ? ["/opt/local/bin"] : []),
    ...(isMac ? [] : [
      "/home/linuxbrew/.linuxbrew/bin",
      "/usr/bin",
      "/snap/bin",
      "/run/current-system/sw/bin",
    ]),
    own(".nix-profile/bin"),
    "/opt/claude-code/bin",
    "/opt/claude/bin",
    "/opt/claude",
    "/opt/bin",
  ];
  return places.filter((place) => place !== undefined);
}

function windowsPlaces(init: PlacesInit): string[] {
  const { env, home, npmPrefix, platform } = init;
  const value = (name: string) => variable(env, name, platform);
  const own = (path: string) => below(home, path);
  const appData = value("APPDATA");
  const localAppData = value("LOCALAPPDATA");
  const places = [
    own(".local/bin"),
    own(".claude/local"),
    own(".claude/local/node_modules/.bin"),
    // npm's prefix holds the programs itself here.
    below(value("npm_config_prefix"), ""),
    below(npmPrefix, ""),
    below(appData, "npm"),
    below(localAppData, "Programs/claude"),
    below(localAppData, "Programs/Claude Code"),
    below(localAppData, "Microsoft/WinGet/Links"),
    below(value("PNPM_HOME"), ""),
    below(localAppData, "pnpm"),
    below(value("BUN_INSTALL"), "bin"),
    own(".bun/bin"),
    below(localAppData, "Yarn/bin"),
    below(value("VOLTA_HOME"), "bin"),
    below(localAppData, "Volta/bin"),
    own("scoop/shims"),
    below(value("ProgramData"), "chocolatey/bin"),
    below(value("ProgramFiles"), "nodejs"),
    below(value("ProgramFiles"), "claude"),
    below(value("ProgramFiles"), "Claude Code"),
  ];
  return places.filter((place) => place !== undefined);
}

function below(
  directory: string | undefined,
  path: string,
): string | undefined {
  return directory ? `${directory}/${path}` : undefined;
}
