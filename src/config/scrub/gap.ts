import { catalogue } from '../../diagnostics/catalogue.ts'
import { linesOf } from '../document/lines.ts'
import { referenceTags } from '../document/node.ts'
import { ignoreWord, readIgnores } from '../document/readIgnores.ts'
import type { Placeholders } from './placeholders.ts'

/** YAML's own types (yaml.org/type). */
const ownTypes = 'binary|bool|float|int|map|merge|null|omap|pairs|seq|set|str|timestamp'

const knownTag = new RegExp(
  `^(?:!(?:${referenceTags.join('|')})?|!!(?:${ownTypes})|!<tag:yaml\\.org,2002:(?:${ownTypes})>)$`,
)

/** Text between two values: a directive, an anchor or alias, a tag, or other characters outside of values. */
const pieces =
  /(?<directive>^%.*$)|[&*](?<anchor>[^\s,[\]{}]+)|(?<tag>!<[^>\s]*>?|![^\s,[\]{}]*)|[^\s,[\]{}:?.-]/gmu

/**
 * Replaces anchors and tags in the text between two values and comments. Indentation, line breaks and signs
 * stay.
 */
export const scrubGap = (gap: string, words: Placeholders): string =>
  gap.replaceAll(pieces, (all: string, ...rest) => {
    const { directive, anchor, tag }: Readonly<Record<string, string | undefined>> = rest.at(-1)
    if (directive !== undefined) return /^%YAML [\d.]+\s*$/.test(directive) ? directive : '#'
    if (anchor !== undefined) return `${all.charAt(0)}${words.mark('anchor', anchor)}`
    if (tag === undefined) return ''
    return knownTag.test(tag) ? tag : `!${words.mark('tag', tag)}`
  })

const knownCode = (code: string): string => (Object.hasOwn(catalogue, code) ? code : 'unknown-code')

/** Reduces a comment to a bare `#`; one that silences findings keeps its codes without the reason. */
export function scrubComment(comment: string): string {
  if (!comment.includes(ignoreWord)) return '#'
  const whole = { from: 0, to: comment.length, text: comment }
  const [ignore] = readIgnores([whole], { text: comment, lines: linesOf('', comment) })
  if (ignore === undefined) return '#'
  const codes = ignore.codes.map(({ code }) => knownCode(code)).join(', ')
  const reason = ignore.reason === '' ? '' : ' reason removed'
  return `# ${ignoreWord}:${codes === '' ? '' : ` ${codes}`}${reason}`
}
