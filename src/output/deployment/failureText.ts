import { shortListOf } from '../../base/words.ts'
import { wrap } from '../../base/wrapping.ts'
import type { Failure } from '../../deployment/events.ts'
import { groupBy } from '../../diagnostics/groupBy.ts'
import { paint } from '../paint.ts'

/**
 * Removes the host's name from a message that follows it: of `db1 (10.0.0.1 port 22)` the address remains.
 */
export function withoutHostName(host: string, message: string): string {
  if (!message.startsWith(`${host} `)) return message
  return message.slice(host.length + 1).replace(/^\(([^()]*)\) /, '$1 ')
}

export type HostFailure = { readonly host: string; readonly failure: Failure }

type Layout = {
  readonly colour: boolean
  /** Columns; absent: lines are not wrapped, for logs. */
  readonly width?: number
}

/** Limit of hosts on one line; JSON has all. */
const maxListed = 12

/** Writes a failure for a person: host, problem, and the fix on a line of its own. */
export const failureText = ({ host, failure, ...layout }: HostFailure & Layout): string =>
  failuresText([{ host, failure }], layout)

/**
 * Writes failures in their order: hosts with the same message share a line, and a common fix stands once,
 * after the last of them.
 */
export function failuresText(
  failures: readonly HostFailure[],
  { colour, width = Number.POSITIVE_INFINITY }: Layout,
): string {
  const { red, bold } = paint(colour)
  const blocks = groupBy(failures, ({ failure }) => JSON.stringify([failure.code, failure.fix]))
  return blocks
    .flatMap((block) => [
      ...groupBy(block, whatOf).flatMap((alike) => whatLines(alike, { red, bold, width })),
      ...fixLines(block[0].failure.fix, width),
    ])
    .map((line) => `${line}\n`)
    .join('')
}

/** Writes `error db1 and db2: what [code]`; further lines of the message follow. */
function whatLines(
  alike: readonly [HostFailure, ...HostFailure[]],
  { red, bold, width }: Pick<ReturnType<typeof paint>, 'red' | 'bold'> & { readonly width: number },
): readonly string[] {
  const [first] = alike
  const [what = '', ...details] = whatOf(first).split('\n')
  const hosts = shortListOf(
    alike.map(({ host }) => host),
    maxListed,
  )
  const text = `${red('error')} ${bold(`${hosts}:`)} ${what} [${first.failure.code}]`
  return [
    ...wrap(text, { width, first: '', rest: '  ' }),
    ...details.flatMap((detail) => {
      const indent = detail.slice(0, -detail.trimStart().length).padEnd(4)
      return wrap(detail.trimStart(), { width, first: indent, rest: `${indent}  ` })
    }),
  ]
}

const fixLines = (fix: string, width: number): readonly string[] =>
  fix.split('\n').flatMap((line, index) => {
    const first = index === 0 ? '  fix: ' : '       '
    return wrap(line, { width, first, rest: '       ' })
  })

const whatOf = ({ host, failure }: HostFailure): string => withoutHostName(host, failure.message)
