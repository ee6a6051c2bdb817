// Peer adapter: the program of the official SDK on this project's package, its one import changed.
//   SLUICE_COMPAT   the ./compat entry, as SLUICE_MODULE is the root entry
import { loadOwn } from "../lib/common.mjs";
import { byOfficialApi } from "../lib/official_api.mjs";

const t = performance.now();
const sdk = await loadOwn("SLUICE_COMPAT");
export const importMs = performance.now() - t;
export const name = "compat";
export const { open, mcpServer } = await byOfficialApi(sdk);
