import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth";

/** The module as it is, and its types, which Deno finds without `.js` alone. */
const {
  auth,
  extractWWWAuthenticateParams,
} = await (import("@modelcontextprotocol/sdk/client/auth.js") as Promise<
  typeof import("@modelcontextprotocol/sdk/client/auth")
>);

type Tokens = Parameters<OAuthClientProvider["saveTokens"]>[0];
type Client = Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;

/** Redirect address for a browser; no server listens there. */
const REDIRECT_URL = "http://localhost:3000/callback";

/** A document that says who this client is, for servers that take one. */
const CLIENT_METADATA_URL =
  "https://conformance-test.local/client-metadata.json";

/** So often a server may ask for more before its no is taken for one. */
const MOST_ROUNDS = 3;

/** A client that was registered before. */
export interface Registered {
  readonly client_id: string;
  readonly client_secret: string;
}

/** A client that remembers in memory, and follows the redirect of the authorization server itself. */
class MemoryClient implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT_URL;
  readonly clientMetadataUrl = CLIENT_METADATA_URL;
  readonly clientMetadata = {
    client_name: "sluice-conformance",
    redirect_uris: [REDIRECT_URL],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
  /** Code that the authorization server returned for the user's consent. */
  code: string | undefined;
  #client: Client;
  #tokens: Tokens | undefined;
  #verifier = "";

  constructor(registered: Registered | undefined) {
    this.#client = registered;
  }

  clientInformation(): Client {
    return this.#client;
  }

  saveClientInformation(client: Client): void {
    this.#client = client;
  }

  tokens(): Tokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: Tokens): void {
    this.#tokens = tokens;
  }

  /** The server of the suite consents at once. */
  async redirectToAuthorization(url: URL): Promise<void> {
    const response = await fetch(url, { redirect: "manual" });
    await response.body?.cancel();
    const location = response.headers.get("location");
    if (location === null) throw new Error("No redirect after authorization");
    this.code = new URL(location).searchParams.get("code") ?? undefined;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }
}

/** A `fetch` for a server that wants authorization: answers 401 and 403, and repeats the request. */
export function oauthFetch(
  serverUrl: string,
  registered?: Registered,
): typeof fetch {
  const client = new MemoryClient(registered);

  async function authorize(response: Response): Promise<void> {
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(
      response,
    );
    const options = {
      serverUrl,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
    };
    if (await auth(client, options) === "AUTHORIZED") return;
    const { code } = client;
    if (code === undefined) throw new Error("No authorization code");
    await auth(client, { ...options, authorizationCode: code });
  }

  return async (input, init) => {
    for (let round = 0;; round++) {
      const headers = new Headers(init?.headers);
      const token = client.tokens()?.access_token;
      if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
      const response = await fetch(input, { ...init, headers });
      const wantsMore = response.status === 401 || response.status === 403;
      if (!wantsMore || round === MOST_ROUNDS) return response;
      await authorize(response);
      await response.body?.cancel();
    }
  };
}
