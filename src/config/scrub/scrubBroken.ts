import { neutralComment } from './neutralComment.ts'
import type { Pseudonyms } from './pseudonyms.ts'
import { shapesFor } from './shapes.ts'
import { scrubWords } from './words.ts'
import type { Zone } from './zones.ts'

/** A text whose values cannot be told apart: only its lines and zones are known. */
export type BrokenText = {
  readonly text: string
  readonly zones: readonly Zone[]
  /** How many findings of the original a text does not have, or has too many; 0 is what is wanted. */
  readonly distance: (scrubbed: string) => number
}

/** How often a text may be judged before the best so far is taken, and how many characters in all. */
const mostTries = 400
const mostJudged = 4_000_000

/** How often all zones are gone through: a choice may fit only once a later one is made. */
const mostSweeps = 3

function commentOf(text: string, { from, to }: Zone): string {
  const alone = text.slice(text.lastIndexOf('\n', from) + 1, from).trim() === ''
  return neutralComment(text.slice(from, to), alone)
}

/** The choices for each zone; a NUL in it is a mistake of its own and stays. */
function choicesOf(text: string, zone: Zone): readonly string[] {
  const part = text.slice(zone.from, zone.to)
  const nul = part.includes('\0') ? '\0' : ''
  // What looks like a comment may stand in quotes that are not closed; then something else may have to stay.
  const shapes =
    zone.kind === 'comment' ? [commentOf(text, zone), ...shapesFor('')] : shapesFor(part.replaceAll('\0', ''))
  return shapes.map((shape) => `${shape}${nul}`)
}

/** The texts before, between and behind the zones, scrubbed word by word. */
function between({ text, zones }: BrokenText, names: Pseudonyms): readonly string[] {
  const ends = [0, ...zones.map(({ to }) => to)]
  return ends.map((from, index) => scrubWords(text.slice(from, zones[index]?.from ?? text.length), names))
}

/** A part and what is written behind it; no spaces are left where that is nothing. */
const ended = (part: string, choice = ''): string =>
  choice === '' ? part.replace(/(?<![ \t])[ \t]+$/, '') : part + choice

/**
 * Scrubs a text that is not YAML: every word that is not known to everybody is replaced, every zone as a whole by
 * the likeliest text that leaves the findings as they are. Where none does, the nearest is taken.
 */
export function scrubBroken(broken: BrokenText, names: Pseudonyms): string {
  const { text, zones, distance } = broken
  const parts = between(broken, names)
  const choices = zones.map((zone) => choicesOf(text, zone))
  const chosen = choices.map(([first = '']) => first)
  const written = (): string => parts.map((part, index) => ended(part, chosen[index])).join('')
  const most = Math.min(mostTries, Math.floor(mostJudged / text.length))
  let tries = 0
  let best = distance(written())
  for (let sweep = 0; sweep < mostSweeps; sweep++) {
    for (const [index, options] of choices.entries()) {
      for (const option of options) {
        if (best === 0 || tries >= most) return written()
        const before = chosen[index] ?? ''
        if (option === before) continue
        chosen[index] = option
        tries += 1
        const now = distance(written())
        if (now < best) best = now
        else chosen[index] = before
      }
    }
  }
  return written()
}
