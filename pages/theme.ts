/** Lets a button change between light and dark; until then the page is as the system has it. */
export function switchTheme(button: HTMLElement | null): void {
  button?.addEventListener("click", () => {
    const { dataset } = document.documentElement;
    const isDark = dataset["theme"] === undefined
      ? matchMedia("(prefers-color-scheme: dark)").matches
      : dataset["theme"] === "dark";
    dataset["theme"] = isDark ? "light" : "dark";
  });
}
