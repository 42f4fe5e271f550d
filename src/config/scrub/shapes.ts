import { redacted } from '../../diagnostics/source.ts'

const word = 'redacted'

/** Everything that may be written for a hidden part of a text that is not YAML: each has another kind of mistake. */
const shapes: readonly string[] = [
  `'${redacted}'`,
  `"${redacted}`,
  `'${redacted}`,
  word,
  `${word}: ${word}`,
  `'${word}' ${word}`,
  `${word}:`,
  redacted,
  `[${word}`,
  `{${word}`,
  `{ ${word}: ${word} }`,
  `{ ${word}: ${word}`,
  `${word}"`,
  `${word}'`,
  `${word}]`,
  `${word}}`,
  `@${word}`,
  `%${word}`,
  `*${word}`,
  `&${word}`,
  `&${word} ${word}`,
  `!${word}`,
  `!${word} ${word}`,
  `|`,
  `>`,
  `| ${word}`,
  `- ${word}`,
  `-`,
  `? ${word}`,
  `: ${word}`,
  `, ${word}`,
  `${word},`,
  `"${word}" "${word}`,
  `'${word}' '${word}`,
  `---`,
  '',
]

/** A comment behind a value is not a part of it. */
const withoutComment = (text: string): string => (/^["']/.test(text) ? text : text.replace(/\s+#[^\n]*$/, ''))

/** Which shape a text most likely has. */
function guess(text: string): string {
  const first = text.charAt(0)
  if (first === '"' || first === "'") {
    const end = text.indexOf(first, 1)
    if (end === -1) return `${first}${redacted}`
    return /^[\s,\]}]*$/.test(text.slice(end + 1)) ? `'${redacted}'` : `'${word}' ${word}`
  }
  if (first === '{' || first === '[') {
    if (!/[\]}]$/.test(text)) return `${first}${word}`
    return first === '[' ? redacted : `{ ${word}: ${word} }`
  }
  if (text !== '' && '@%*&!'.includes(first)) return `${first}${word}`
  if (first === '|' || first === '>') return first
  if (text.endsWith(':')) return `${word}:`
  // After a comma another name of the same map in braces follows.
  if (/^[^,]*: /.test(text)) return `${word}: ${word}`
  return text === '' ? '' : `'${redacted}'`
}

/** More of a line is not looked at. */
const longestGuessed = 2000

/** Brackets that a hidden part may have closed for others, at most this many. */
const mostClosers = 6

/**
 * What may be written for a hidden part, the likeliest first; what was written by an earlier run stays. Of the
 * part itself only the kind of its mistake remains, and which brackets it closes at its end.
 */
export function shapesFor(text: string): readonly string[] {
  const body = withoutComment(text.slice(0, longestGuessed))
  const closers = /(?:\s*[\]},])*$/.exec(body.slice(-mostClosers))?.[0] ?? ''
  const all = shapes.flatMap((shape) => (closers === '' ? [shape] : [shape, `${shape}${closers}`]))
  const likely = guess(body)
  return [...new Set([...(all.includes(text) ? [text] : []), `${likely}${closers}`, likely, ...all])]
}
