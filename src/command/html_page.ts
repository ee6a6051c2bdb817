import { base64Digest } from "../errors/digest.ts";

/** A page, and the policy that it carries. */
export interface Page {
  readonly html: string;
  /** The same as its own `meta` says, for an answer that has headers. */
  readonly policy: string;
}

/** Content of a page. */
export interface PageParts {
  readonly title: string;
  /** Markup of the body, without data. */
  readonly body: string;
  readonly script: string;
  readonly style: string;
  /** JSON for the script. */
  readonly data: unknown;
  /** Whether the script sends requests to its server. */
  readonly isLive: boolean;
}

/**
 * One page without outside requests: style, script and data.
 *
 * Its policy lets nothing run but the script whose hash it names. The data is JSON in which no markup can begin, and
 * the script makes text of it.
 */
export async function htmlPage(
  { body, data, isLive, script, style, title }: PageParts,
): Promise<Page> {
  const [scriptHash, styleHash] = await Promise.all(
    [script, style].map(base64Digest),
  );
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${scriptHash}'`,
    `style-src 'sha256-${styleHash}'`,
    ...isLive ? ["connect-src 'self'"] : [],
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const html = `<!doctype html>
<html lang="en"${isLive ? ' data-live="yes"' : ""}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)} - sluice</title>
<style>${style}</style>
</head>
<body>
${body}
<script type="application/json" id="data">${inert(data)}</script>
<script>${script}</script>
</body>
</html>
`;
  return { html, policy };
}

/** JSON in which no tag and no comment can begin or end. */
function inert(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text for markup. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (one) => ENTITIES[one] ?? "");
}
