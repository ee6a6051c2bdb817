import { escaped } from "../html_page.ts";
import { host } from "../../runtime/host.ts";

/** Programs that open a file in the browser, by system; elsewhere `xdg-open`. */
const OPENERS: Readonly<Record<string, string>> = {
  darwin: "open",
  win32: "explorer.exe",
};

/**
 * Opens an address in the browser, if there is a program for that; other users see no address among the arguments of
 * processes, since a file leads there.
 *
 * @returns Removes the file
 */
export async function openBrowser(
  address: string,
): Promise<() => Promise<void>> {
  const self = await host();
  const { files, platform } = self;
  const folder = await files.makeTemporaryDirectory("sluice-web-");
  const path = `${folder}/open.html`;
  const file = await files.open(path, "new");
  const target = escaped(address);
  const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>sluice</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${target}">
<a href="${target}">Open the page</a></html>
`;
  try {
    await file.write(new TextEncoder().encode(html));
  } finally {
    await file.close();
  }
  try {
    const command = OPENERS[platform] ?? "xdg-open";
    const env = self.env();
    self.startHelper({ command, args: [path], cwd: folder, env });
  } catch {
    // The address is printed as well.
  }
  return () => files.remove(folder);
}
