import { catalogue } from '../../diagnostics/catalogue.ts'
import { linesOf } from '../document/lines.ts'
import { ignoreWord } from '../ignores/ignore.ts'
import { readIgnores } from '../ignores/readIgnores.ts'

const knownCode = (code: string): string => (Object.hasOwn(catalogue, code) ? code : 'unknown-code')

/**
 * What remains of a comment, from its `#` on: nothing, or a bare `#` where it has a line of its own. One that
 * silences findings keeps their codes; its reason goes.
 */
export function neutralComment(comment: string, alone: boolean): string {
  const whole = { from: 0, to: comment.length, text: comment }
  const [ignore] = readIgnores([whole], { text: comment, lines: linesOf('', comment) })
  if (ignore === undefined) return alone ? '#' : ''
  const codes = ignore.codes.map(({ code }) => knownCode(code)).join(', ')
  const reason = ignore.reason === '' ? '' : ' reason removed'
  return `# ${ignoreWord}:${codes === '' ? '' : ` ${codes}`}${reason}`
}
