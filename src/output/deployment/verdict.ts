import { counted, listOf, shortListOf } from '../../base/words.ts'
import { wrap } from '../../base/wrapping.ts'
import type { HostOutcome } from '../../deployment/events.ts'
import { groupBy } from '../../diagnostics/groupBy.ts'
import { paint } from '../paint.ts'
import { withoutHostName } from './failureText.ts'

/** Names the hosts of a run that excludes some hosts of the file; undefined for all hosts. */
export function limitedRunText(options: {
  readonly cluster: string
  readonly hosts: readonly string[]
  readonly excluded: readonly string[]
}): string | undefined {
  const { cluster, hosts, excluded } = options
  if (excluded.length === 0) return undefined
  const [only, rest] = [shortListOf(hosts, 8), shortListOf(excluded, 8)]
  return `Only ${only} of ${cluster} ${hosts.length === 1 ? 'was' : 'were'} selected; ${rest} ${excluded.length === 1 ? 'was' : 'were'} not contacted.`
}

/** After a stopped run, describes its state and how to continue. */
export function stoppedText(operation: string, outcomes: readonly HostOutcome[]): string {
  const again = `Run \`muster ${operation}\` again to continue.`
  const between = outcomes.some(({ result }) => result === 'stopped')
  if (between) return `Stopped between two steps. ${again}\n`
  const begun = outcomes.some(({ result }) => result !== 'not-started' && result !== 'unchanged')
  return begun ? `Stopped. ${again}\n` : `Stopped before any component was changed. ${again}\n`
}

/**
 * After a run that ended before its last host, lists the next steps; undefined if every host was processed.
 */
export function nextStepsText(
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

/** Limit of hosts on one line. */
const maxListed = 8

/**
 * Writes the last line of a run: `FAILED: 1 of 4 hosts (ux2)`, with reasons if requested, or `DONE: 4 hosts
 * in 12.3 s`, or `INCOMPLETE: 4 hosts in 12.3 s, but …`. Empty for a run that a person stopped before any failure.
 */
export function verdictText(
  outcomes: readonly Pick<HostOutcome, 'host' | 'result' | 'failure'>[],
  options: {
    readonly exit: number
    /** Repeats the reasons, which are far above if the run has already changed hosts. */
    readonly reasons: boolean
    /** What does not work although every host was changed; empty if nothing. */
    readonly shortcoming?: string
    readonly seconds: number
    readonly colour: boolean
    readonly width: number
  },
): string {
  const { exit, seconds, shortcoming = '', colour, width } = options
  const { red, green, bold } = paint(colour)
  const failed = outcomes.filter(({ result }) => result === 'failed' || result === 'unreachable')
  if (failed.length === 0) {
    const hosts = `${counted(outcomes.length, 'host')} in ${seconds.toFixed(1)} s`
    if (exit === 0) return `${green('DONE:')} ${hosts}\n`
    if (shortcoming === '') return ''
    const line = `${red('INCOMPLETE:')} ${hosts}, but ${shortcoming}`
    return `${wrap(line, { width, first: '', rest: '  ' }).join('\n')}\n`
  }
  const named = (some: readonly { readonly host: string }[]): string =>
    shortListOf(
      some.map(({ host }) => host),
      maxListed,
    )
  const head = `${red('FAILED:')} ${failed.length} of ${counted(outcomes.length, 'host')} (${named(failed)})`
  const reasons = groupBy(options.reasons ? failed : [], reasonOf).flatMap((alike) => {
    const reason = reasonOf(alike[0])
    return reason === ''
      ? []
      : wrap(`${bold(`${named(alike)}:`)} ${reason}`, { width, first: '  ', rest: '    ' })
  })
  return `${[...wrap(head, { width, first: '', rest: '  ' }), ...reasons].join('\n')}\n`
}

/** Returns the first line of a failure with its code; the rest was printed before. */
function reasonOf({ host, failure }: Pick<HostOutcome, 'host' | 'failure'>): string {
  if (failure === undefined) return ''
  const [first = ''] = withoutHostName(host, failure.message).split('\n')
  return `${first} [${failure.code}]`
}
