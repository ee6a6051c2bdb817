import { find } from "../inspect/elements.ts";
import { showFailure } from "./doing.ts";
import { send, SESSION } from "./send.ts";

/** Name under which a page keeps what was not sent yet. */
const DRAFT = `draft ${SESSION}`;

/** Lets the person write prompts, and stop the agent. */
export function writes(): void {
  const form = find<HTMLFormElement>("#send");
  const input = find<HTMLTextAreaElement>("#prompt");
  const button = find<HTMLButtonElement>("#send button[type=submit]");
  input.value = sessionStorage.getItem(DRAFT) ?? "";
  input.addEventListener("input", keep);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit();
  });
  find("#stop").addEventListener("click", async () => {
    showFailure(await send("interrupt", {}));
  });

  async function submit(): Promise<void> {
    const text = input.value;
    if (text.trim() === "" || button.disabled) return;
    button.disabled = true;
    input.value = "";
    const failure = await send("prompt", { text });
    button.disabled = false;
    showFailure(failure);
    // Text that was written meanwhile stands below.
    if (failure !== undefined) input.value = `${text}${input.value}`;
    keep();
  }

  function keep(): void {
    sessionStorage.setItem(DRAFT, input.value);
  }
}
