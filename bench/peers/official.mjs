// Peer adapter: the official TypeScript SDK (@anthropic-ai/claude-agent-sdk).
// See README.md, "Adding a peer", for the contract.
import { importFrom } from "../lib/common.mjs";
import { byOfficialApi } from "../lib/official_api.mjs";

const t = performance.now();
const sdk = await importFrom("@anthropic-ai/claude-agent-sdk", "sdk.mjs");
export const importMs = performance.now() - t;
export const name = "official";
export const { open, mcpServer } = await byOfficialApi(sdk);
