/** Removes coverage files that are not whole JSON, which `deno coverage` fails at; gives how many there were. */
export async function dropCutFiles(folder: string): Promise<number> {
  let count = 0;
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".json")) continue;
    const path = `${folder}/${name}`;
    if (isJson(await Deno.readTextFile(path))) continue;
    await Deno.remove(path);
    count++;
  }
  return count;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
