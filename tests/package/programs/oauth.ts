// An MCP server behind a sign-in: a person opens an address, and the tools are there.
// deno-lint-ignore-file no-console -- a program shows what happens
import {
  auth,
  UnauthorizedError,
} from "@modelcontextprotocol/sdk/client/auth.js";
import { withOAuth } from "@modelcontextprotocol/sdk/client/middleware.js";
// Types come from the paths without ".js": Deno finds them there alone.
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

/** State of the sign-in; kept in a file or a keychain, it need not be repeated. */
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
 * Waits until the browser of the person comes back, and takes the code that it brings.
 *
 * @param onReady Called when the browser may come
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

/** As `fetch`, with the token; the person is asked if it is missing or can no longer be renewed. */
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
    // A person needs longer than the usual 30 seconds.
    greeter: { type: "http", url, fetch: send, connectTimeoutMs: 300_000 },
  },
  permissions: { approve: ["mcp__greeter"] },
});
console.log(await conversation.text());
