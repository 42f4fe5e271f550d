import type { Failure } from '../../deployment/events.ts'
import { paint } from './paint.ts'

/** A failure for people: where, what, and the fix on a line of its own. */
export function failureText(options: {
  readonly host: string
  readonly failure: Failure
  readonly colour: boolean
}): string {
  const { host, failure, colour } = options
  const { red, bold } = paint(colour)
  const fix = failure.fix.split('\n').join('\n       ')
  return `${red('error')} ${bold(`${host}:`)} ${failure.message} [${failure.code}]\n  fix: ${fix}\n`
}
