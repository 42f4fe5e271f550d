import { counted, listOf, shortListOf } from '../../base/words.ts'
import { wrap } from '../../base/wrapping.ts'
import type { HostOutcome } from '../../deployment/events.ts'

/** After a run that ended before its last host: what to do next; undefined where every host had its turn. */
export function goingOnText(
  operation: string,
  outcomes: readonly HostOutcome[],
  width = Number.POSITIVE_INFINITY,
): string | undefined {
  const named = (...results: readonly HostOutcome['result'][]): readonly string[] =>
    outcomes.filter(({ result }) => results.includes(result)).map(({ host }) => host)
  const left = outcomes.filter(({ result, reason }) => result === 'not-started' && reason !== undefined)
  const halfWay = outcomes.filter(({ result, reason }) => result === 'stopped' && reason !== undefined)
  const failed = shortListOf(named('failed', 'unreachable'), 8)
  const done = named('changed')
  if (left.length + halfWay.length === 0) return undefined
  const count = (hosts: readonly unknown[], what: string): readonly string[] =>
    hosts.length === 0 ? [] : [`${counted(hosts.length, 'host')} ${what}`]
  const states = [...count(left, 'not started'), ...count(halfWay, 'stopped half-way')]
  const lines = [
    `${states.join(', ')}. Fix the reported problem on ${failed}, then run \`muster ${operation}\` again: it continues with what is left.`,
  ]
  if (operation === 'upgrade' && done.length > 0) {
    const [first = ''] = done
    lines.push(
      `${done.length > 8 ? counted(done.length, 'host') : listOf(done)} ${done.length === 1 ? 'runs' : 'run'} the new release; \`muster rollback --host ${first}\` returns ${first} to the previous one.`,
    )
  }
  return `${lines.flatMap((line) => wrap(line, { width, first: '', rest: '' })).join('\n')}\n`
}
