import { request } from "node:http";

/** The status of an answer, asked with headers that `fetch()` would not send. */
export function statusOf(
  address: string,
  headers: Readonly<Record<string, string>>,
  method = "GET",
  body = "",
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(address, { headers, method }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode));
    });
    asked.on("error", reject);
    asked.end(body);
  });
}
