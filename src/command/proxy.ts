/** The variable with the proxy for an address; undefined without one, or where NO_PROXY exempts it. */
export function proxyFor(
  { hostname, port, protocol }: URL,
  env: Readonly<Record<string, string>>,
): string | undefined {
  const names = protocol === "https:"
    ? ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"]
    : ["http_proxy", "HTTP_PROXY"];
  const name = names.find((one) => env[one]);
  if (name === undefined) return undefined;
  const usual = port || (protocol === "https:" ? "443" : "80");
  const exempt = (env["no_proxy"] || env["NO_PROXY"] || "").toLowerCase()
    .split(/[\s,]+/).filter((one) => one !== "");
  const isExempt = exempt.some((one) => {
    const [, host = one, only = usual] = /^(.*):(\d+)$/.exec(one) ?? [];
    const end = host.replace(/^\*?\./, "");
    return one === "*" || only === usual &&
        (hostname === end || hostname.endsWith(`.${end}`));
  });
  return isExempt ? undefined : name;
}
