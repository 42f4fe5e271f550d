import { neutralComment } from './neutralComment.ts'
import { neutralTag } from './neutralTag.ts'
import type { Pseudonyms } from './pseudonyms.ts'
import { wordwise } from './wordwise.ts'

/** What can stand between two values, in the order in which it is looked for. */
const pieces =
  /(?<comment>(?<![^ \t\r\n])#(?:[^\r\n]|\r(?!\n))*)|(?<directive>(?<![^\n])%[^\n]*)|(?<property>[&*][^ \t\r\n,[\]{}]+)|(?<tag>!<[^> \t\r\n]*>?|![^ \t\r\n,[\]{}]*)|(?<rest>[^#%&*!]+|.)/gsu

function neutralPiece(text: string, groups: Readonly<Record<string, string>>, names: Pseudonyms): string {
  if (groups.directive !== undefined) {
    return /^%YAML [\d.]+\s*$/.test(text) ? text : `%${wordwise(text.slice(1), names)}`
  }
  if (groups.property !== undefined) {
    return `${text.charAt(0)}anchor${names.number('anchor', text.slice(1))}`
  }
  return groups.tag === undefined ? wordwise(text, names) : neutralTag(text, names)
}

/**
 * The text between two values without what it may tell: comments go, anchors and unknown tags get other names.
 * Indentation, line breaks and signs stay. `before` gives what stands before it on its line.
 */
export function scrubGap(gap: string, before: () => string, names: Pseudonyms): string {
  const out: string[] = []
  for (const { 0: text, index, groups = {} } of gap.matchAll(pieces)) {
    if (groups.comment === undefined) {
      out.push(neutralPiece(text, groups, names))
      continue
    }
    const start = index === 0 ? -1 : gap.lastIndexOf('\n', index - 1)
    const lead = gap.slice(start + 1, index)
    const left = neutralComment(text, (start === -1 ? before() + lead : lead).trim() === '')
    const last = out.pop() ?? ''
    out.push(left === '' ? last.replace(/[ \t]+$/, '') : last, left)
  }
  return out.join('')
}
