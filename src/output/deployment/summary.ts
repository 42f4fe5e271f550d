import type { HostOutcome } from '../../deployment/events.ts'
import { counted } from '../../diagnostics/words.ts'
import { grouped } from '../grouped.ts'
import { hostLines, mostLines } from './hostLines.ts'
import { paint } from './paint.ts'

const words: Readonly<Record<HostOutcome['result'], string>> = {
  changed: 'done',
  unchanged: 'nothing to do',
  failed: 'failed',
  unreachable: 'unreachable',
  stopped: 'stopped',
  'not-started': 'not started',
}

/** The closing lines: how each host came out and how long each phase took. */
export function summaryText(
  outcomes: readonly HostOutcome[],
  { colour, width }: { readonly colour: boolean; readonly width?: number },
): string {
  const { dim } = paint(colour)
  const many = outcomes.length > mostLines
  const said = grouped(outcomes, many ? sameKey : ({ host }) => host).map((group) => {
    const [first] = group
    const times = timesOf(group)
    const text = `${tint(first.result, colour)(textOf(first))}${times === '' ? '' : dim(` (${times})`)}`
    return { hosts: group.map(({ host }) => host), text }
  })
  return hostLines(said, { all: outcomes.length, colour, ...(width !== undefined && { width }) })
}

/** What failed stands alone, each with its own times. */
const sameKey = (outcome: HostOutcome): string =>
  outcome.result === 'failed' ? `failed ${outcome.host}` : textOf(outcome)

function textOf({ result, applied, proved, reason, undone, left }: HostOutcome): string {
  const why = result === 'not-started' ? `: ${reason ?? 'nothing was touched that is running'}` : ''
  const some = result === 'changed' || result === 'stopped'
  const count = some ? `: ${counted(applied.length, 'change')}` : ''
  const since = result === 'stopped' && reason !== undefined ? ` (${reason})` : ''
  const still = left === undefined ? '' : `, left: ${left.join(', ')}${since}`
  const back = undone === true ? ', all of it taken back' : ''
  return `${words[result]}${why}${count}${still}${back}${proved === undefined ? '' : `, ${proved}`}`
}

/** `commit 1.3 s, verify 0.3 s`; of several hosts from the quickest to the slowest. */
function timesOf(outcomes: readonly HostOutcome[]): string {
  const phases = new Map<string, number[]>()
  for (const { seconds } of outcomes) {
    for (const [phase, value] of Object.entries(seconds)) {
      if (value >= 0.05) phases.set(phase, [...(phases.get(phase) ?? []), value])
    }
  }
  return [...phases]
    .map(([phase, values]) => {
      const [least, most] = [Math.min(...values).toFixed(1), Math.max(...values).toFixed(1)]
      return `${phase} ${least === most ? least : `${least} to ${most}`} s`
    })
    .join(', ')
}

function tint(result: HostOutcome['result'], colour: boolean): (text: string) => string {
  const { green, red, yellow } = paint(colour)
  if (result === 'failed' || result === 'unreachable') return red
  return result === 'not-started' || result === 'stopped' ? yellow : green
}
