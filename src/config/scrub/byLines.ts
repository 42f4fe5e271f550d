import { hideBroken } from '../document/hideBroken.ts'
import { isKnownName } from '../knownNames.ts'
import { loadConfig } from '../load.ts'
import { distanceOf, findingLines } from './findingLines.ts'
import type { Pseudonyms } from './pseudonyms.ts'
import { scrubBroken } from './scrubBroken.ts'
import type { Work } from './work.ts'
import { zonesOf } from './zones.ts'

/** Every sign that YAML takes for a letter as one: `hideBroken` knows names by their letters. Offsets stay. */
const withPlainLetters = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  text.replaceAll(/[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\ufefe\uff00-\uffff]/g, 'x')

/** Scrubs a file that is not YAML. Uses up numbers of `names`. */
export function byLines({ file, load, home }: Work, names: Pseudonyms): string {
  const { name, text } = file
  const now = load([file])
  const wanted = findingLines(now, name)
  const hidden = [...hideBroken(name, withPlainLetters(text), isKnownName), ...(now.sources[0]?.hidden ?? [])]
  const distance = (changed: string): number =>
    distanceOf(wanted, findingLines(loadConfig({ files: [{ ...file, text: changed }], home }), name))
  return scrubBroken({ text, zones: zonesOf(text, hidden), distance }, names)
}
