import { counted, shortListOf } from '../../base/words.ts'
import { wrap } from '../../base/wrapping.ts'
import type { HostOutcome } from '../../deployment/events.ts'
import { grouped } from '../../diagnostics/grouped.ts'
import { paint } from './paint.ts'
import { whatFailed } from './whatFailed.ts'

/** Hosts that one line names at most. */
const most = 8

/**
 * The last words of a run: `FAILED: 1 of 4 hosts (ux2)` with the reasons where they are wanted, or `DONE: 4 hosts in 12.3 s`. Empty for a run
 * that a person stopped before any host failed.
 */
export function verdictText(
  outcomes: readonly Pick<HostOutcome, 'host' | 'result' | 'failure'>[],
  options: {
    readonly exit: number
    /** Repeats the reasons: those of a run that began to change hosts stand far above. */
    readonly reasons: boolean
    readonly seconds: number
    readonly colour: boolean
    readonly width: number
  },
): string {
  const { exit, seconds, colour, width } = options
  const { red, green, bold } = paint(colour)
  const failed = outcomes.filter(({ result }) => result === 'failed' || result === 'unreachable')
  if (failed.length === 0) {
    return exit === 0
      ? `${green('DONE:')} ${counted(outcomes.length, 'host')} in ${seconds.toFixed(1)} s\n`
      : ''
  }
  const named = (some: readonly { readonly host: string }[]): string =>
    shortListOf(
      some.map(({ host }) => host),
      most,
    )
  const head = `${red('FAILED:')} ${failed.length} of ${counted(outcomes.length, 'host')} (${named(failed)})`
  const reasons = grouped(options.reasons ? failed : [], reasonOf).flatMap((alike) => {
    const reason = reasonOf(alike[0])
    return reason === ''
      ? []
      : wrap(`${bold(`${named(alike)}:`)} ${reason}`, { width, first: '  ', rest: '    ' })
  })
  return `${[...wrap(head, { width, first: '', rest: '  ' }), ...reasons].join('\n')}\n`
}

/** The first line of the failure with its code; the whole of it was told when it happened. */
function reasonOf({ host, failure }: Pick<HostOutcome, 'host' | 'failure'>): string {
  if (failure === undefined) return ''
  const [first = ''] = whatFailed(host, failure.message).split('\n')
  return `${first} [${failure.code}]`
}
