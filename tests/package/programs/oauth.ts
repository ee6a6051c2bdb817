// Connect an agent to an MCP server that requires OAuth.
// deno-lint-ignore-file no-console -- a program shows what happens
import {
  auth,
  UnauthorizedError,
} from "@modelcontextprotocol/sdk/client/auth.js";
import { withOAuth } from "@modelcontextprotocol/sdk/client/middleware.js";
// Deno finds the types only under the paths without ".js".
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth";
import type {
  OAuthClientInformationMixed,
  OAuthTokens,
} from "@modelcontextprotocol/sdk/shared/auth";
import { createServer } from "node:http";
import process from "node:process";
import { query } from "@sluice/agent";

const [url = "https://mcp.example/mcp", port = "8976"] = process.argv.slice(2);
const callback = `http://127.0.0.1:${port}/callback`;

/** State of the sign-in. Store it to sign in only once. */
const kept: {
  client?: OAuthClientInformationMixed;
  tokens?: OAuthTokens;
  verifier: string;
  code?: Promise<string>;
} = { verifier: "" };

const provider: OAuthClientProvider = {
  redirectUrl: callback,
  clientMetadata: {
    client_name: "My agent",
    redirect_uris: [callback],
    token_endpoint_auth_method: "none",
  },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => void (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void (kept.tokens = tokens),
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  redirectToAuthorization(address) {
    kept.code = codeFromBrowser(() => console.log(`Open: ${address}`));
  },
};

/**
 * Waits for the browser and returns the code of the sign-in.
 *
 * @param onReady Called when the callback URL can be opened
 */
function codeFromBrowser(onReady: () => void): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer((request, response) => {
      response.end("Signed in. You may close this page.");
      server.close();
      const { searchParams } = new URL(request.url ?? "", callback);
      resolve(searchParams.get("code") ?? "");
    }).listen(Number(port), "127.0.0.1", onReady);
  });
}

const signedIn = withOAuth(provider, url)(fetch);

/** A `fetch` that adds the token. If there is no token, it asks the user to sign in. */
async function send(
  address: string | URL,
  init?: RequestInit,
): Promise<Response> {
  try {
    return await signedIn(address, init);
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    const authorizationCode = await kept.code ?? "";
    await auth(provider, { serverUrl: url, authorizationCode });
    return await signedIn(address, init);
  }
}

const conversation = query("Greet Ada.", {
  mcpServers: {
    // Signing in takes longer than the default of 30 seconds.
    greeter: { type: "http", url, fetch: send, connectTimeoutMs: 300_000 },
  },
  permissions: { approve: ["mcp__greeter"] },
});
console.log(await conversation.text());
