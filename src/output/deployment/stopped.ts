import type { HostOutcome } from '../../deployment/events.ts'

/** After a run that was stopped: where it stands, and how to go on. */
export function stoppedText(operation: string, outcomes: readonly HostOutcome[]): string {
  const again = `\`muster ${operation}\` again goes on from here.`
  const between = outcomes.some(({ result }) => result === 'stopped')
  if (between) return `Stopped between two steps. ${again}\n`
  const begun = outcomes.some(({ result }) => result !== 'not-started' && result !== 'unchanged')
  return begun ? `Stopped. ${again}\n` : `Stopped before anything that runs was touched. ${again}\n`
}
