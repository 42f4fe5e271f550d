/** The style sheet of the page: light and dark, from 320 px on; long words break instead of scrolling. */
export const style = `
:root { color-scheme: light dark; --text: #1b1f24; --faint: #57606a; --ground: #fff; --soft: #f4f6f8; --line: #d5dae0; --link: #0a58ca; --get: #0b6b3a; --post: #9a3b00; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e3e7ec; --faint: #a3adb9; --ground: #12161b; --soft: #1b2128; --line: #353d47; --link: #7db4ff; --get: #6fd39b; --post: #ffb077; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 90rem; padding: 0 1rem 4rem; background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: .5rem; padding: .5rem 1rem; background: var(--ground); }
header { padding: 1.5rem 0 1rem; border-bottom: 1px solid var(--line); }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 3rem 0 0; font-size: 1.4rem; }
h3 { margin: 0; font-size: 1rem; font-weight: 600; }
h4 { margin: 1.25rem 0 .35rem; font-size: .875rem; color: var(--faint); }
p { margin: .5rem 0; max-width: 46rem; }
code, pre { font: .875rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { margin: 0; padding: .75rem 1rem; background: var(--soft); border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; }
nav { max-height: 50vh; overflow-y: auto; padding: 1rem 0; border-bottom: 1px solid var(--line); font-size: .875rem; }
nav summary, .errors summary { cursor: pointer; font-weight: 600; padding: .25rem 0; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
nav li a { display: grid; grid-template-columns: 3.25rem minmax(0, 1fr); padding: .25rem 0; text-decoration: none; }
nav li a:hover { text-decoration: underline; }
nav h2 { margin-top: .75rem; font-size: 1rem; }
article { margin: 1.25rem 0 0; padding: 1rem; border: 1px solid var(--line); border-radius: 8px; }
article:target, .schema:target { border-color: var(--link); box-shadow: 0 0 0 1px var(--link); }
.method { display: inline-block; min-width: 3.25em; font: 700 .875rem ui-monospace, monospace; }
.get { color: var(--get); } .post { color: var(--post); }
.faint { color: var(--faint); font-size: .875rem; }
article ul { margin: .25rem 0; padding-left: 1.25rem; } li { max-width: 46rem; } main li { margin: .25rem 0; }
.errors { margin-top: 1.25rem; font-size: .875rem; } 
footer { margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--line); }
@media (min-width: 64rem) {
  .columns { display: grid; grid-template-columns: 19rem minmax(0, 1fr); gap: 2.5rem; }
  nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; border: 0; }
  .examples { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 1.5rem; }
  .examples > :only-child { grid-column: 1 / -1; }
}
@media print { nav, .skip { display: none; } article { break-inside: avoid; } }
`
