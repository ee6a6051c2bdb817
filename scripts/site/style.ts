/** How the pages of the site look: light and dark, wide and narrow. */
export const SITE_STYLE = `
:root { color-scheme: light dark; --ground: light-dark(#fff, #14171c); --raised: light-dark(#f5f6f8, #1d2128);
  --line: light-dark(#d5d9e0, #363c47); --text: light-dark(#1b1f27, #e8eaee); --quiet: light-dark(#59616e, #a3abb8);
  --accent: light-dark(#1f5fbf, #8ab4f8); }
:root[data-theme=light] { color-scheme: light; } :root[data-theme=dark] { color-scheme: dark; }
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.6 system-ui, sans-serif;
  display: grid; grid-template: auto auto 1fr / 17rem minmax(0, 1fr); max-width: 84rem; margin: 0 auto; }
header { grid-column: 1 / -1; position: sticky; top: 0; z-index: 2; display: flex; gap: .8rem; align-items: center;
  padding: .6rem 1rem; background: var(--ground); border-bottom: 1px solid var(--line); }
.home { font-weight: 700; text-decoration: none; color: inherit; }
input, button { font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--line);
  border-radius: .4rem; padding: .25rem .7rem; }
input { flex: 1; min-width: 6rem; } button { cursor: pointer; }
#found { grid-column: 1 / -1; position: sticky; top: 3.6rem; z-index: 2; margin: 0; padding: .6rem 1rem; list-style: none;
  max-height: 70vh; overflow-y: auto; background: var(--raised); border: 1px solid var(--line); }
#found a { display: block; padding: .2rem .4rem; text-decoration: none; } #found small { color: var(--quiet); }
nav { padding: 1rem; font-size: .92rem; } nav ul { list-style: none; padding: 0; margin: 0 0 1.2rem; }
nav summary { display: none; } nav a { display: block; padding: .12rem .4rem; border-radius: .3rem; color: var(--text); text-decoration: none; }
nav a:hover { background: var(--raised); } nav a[aria-current] { background: var(--raised); color: var(--accent); }
main { padding: .5rem 1.5rem 4rem; } main > p, main > ul, main > ol { max-width: 48rem; }
a { color: var(--accent); } h1 a, h2 a, h3 a, h4 a { color: inherit; text-decoration: none; }
h1 { font-size: 1.9rem; margin: 1rem 0 .6rem; } h2 { margin-top: 2.2rem; border-bottom: 1px solid var(--line); }
img { max-width: 100%; height: auto; border-radius: .5rem; border: 1px solid var(--line); }
code { font: .88em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--raised); border-radius: .25rem; padding: .1em .3em; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem; overflow-x: auto; line-height: 1.45; }
pre code { background: none; padding: 0; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .93rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .7rem; border: 1px solid var(--line); } th { background: var(--raised); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
[hidden] { display: none !important; }
@media (max-width: 50rem) { body { display: block; } nav summary { display: list-item; cursor: pointer; } nav { padding: .5rem 1rem; }
  main { padding: .5rem 1rem 3rem; } }
`;
