import type { HostOutcome } from '../../deployment/events.ts'
import { paint } from './paint.ts'

const words: Readonly<Record<HostOutcome['result'], string>> = {
  changed: 'done',
  unchanged: 'nothing to do',
  failed: 'failed',
  unreachable: 'unreachable',
  'not-started': 'not started',
}

/** The closing lines: how each host came out and how long each phase took. */
export function summaryText(outcomes: readonly HostOutcome[], colour: boolean): string {
  const { bold, dim, green, red, yellow } = paint(colour)
  const width = Math.max(0, ...outcomes.map(({ host }) => host.length))
  const tint = (result: HostOutcome['result']): ((text: string) => string) => {
    if (result === 'failed' || result === 'unreachable') return red
    return result === 'not-started' ? yellow : green
  }
  const lines = outcomes.map(({ host, result, applied, seconds, proved, reason, undone }) => {
    const why = result === 'not-started' ? `: ${reason ?? 'nothing was touched that is running'}` : ''
    const count =
      result === 'changed' ? `: ${applied.length} ${applied.length === 1 ? 'change' : 'changes'}` : ''
    const back = undone === true ? ', all of it taken back' : ''
    const times = Object.entries(seconds)
      .filter(([, value]) => value >= 0.05)
      .map(([phase, value]) => `${phase} ${value.toFixed(1)} s`)
    const tail = times.length === 0 ? '' : dim(` (${times.join(', ')})`)
    return `${bold(host.padEnd(width))}  ${tint(result)(`${words[result]}${why}${count}${back}${proved === undefined ? '' : `, ${proved}`}`)}${tail}`
  })
  return `${lines.join('\n')}\n`
}
