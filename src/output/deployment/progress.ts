import type { DeploymentEvent, Phase } from '../../deployment/events.ts'
import { waveTitle } from './waveTitle.ts'

/** What a host does now, in a few words. */
export type HostState = {
  readonly kind: 'waiting' | 'working' | 'ended' | 'failed'
  readonly text: string
}

/** How far a run has come; by host, in the order of the file. */
export type Progress = {
  readonly hosts: ReadonlyMap<string, HostState>
  /** What hosts have become that came to an end: `reached`, `prepared`, `done`. */
  readonly verb: string
  /** What the wave is called that is at work; empty before the first. */
  readonly wave: string
  /** Whether somebody wishes it to end after the present steps. */
  readonly stopping: boolean
}

/** What each phase is called while it runs, and what a host is after it. */
const phaseWords: Readonly<Record<Phase, readonly [during: string, after: string]>> = {
  connect: ['connecting', 'reached'],
  facts: ['reading facts', 'reached'],
  stage: ['preparing', 'prepared'],
  commit: ['switching over', 'done'],
  verify: ['proving the logins', 'done'],
}

const waiting: HostState = { kind: 'waiting', text: 'waiting' }

export const noProgress = (hosts: readonly string[]): Progress => ({
  hosts: new Map(hosts.map((host) => [host, waiting])),
  verb: 'done',
  wave: '',
  stopping: false,
})

/** The progress after an event; the very same where it changes nothing to be seen. */
export function advance(progress: Progress, event: DeploymentEvent): Progress {
  if (event.type === 'wave-started') return startWave(progress, event)
  if (event.type === 'stopping') return { ...progress, stopping: true }
  const state = stateAfter(event)
  if (state === undefined || !('host' in event)) return progress
  const is = progress.hosts.get(event.host)
  if (is === undefined || is.kind === 'failed') return progress
  const verb = event.type === 'phase-started' ? phaseWords[event.phase][1] : progress.verb
  return { ...progress, verb, hosts: new Map(progress.hosts).set(event.host, state) }
}

function startWave(progress: Progress, event: Extract<DeploymentEvent, { type: 'wave-started' }>): Progress {
  const begins = (host: string, { kind }: HostState): boolean =>
    kind === 'ended' && event.hosts.includes(host)
  // Those that were prepared have yet to switch over.
  const first = progress.verb === 'prepared'
  return {
    ...progress,
    verb: 'done',
    wave: event.of === 1 ? '' : waveTitle(event),
    hosts: new Map(
      [...progress.hosts].map(([host, state]) => {
        const reset = first ? state.kind === 'ended' : begins(host, state)
        return [host, reset ? waiting : state]
      }),
    ),
  }
}

function stateAfter(event: DeploymentEvent): HostState | undefined {
  switch (event.type) {
    case 'phase-started':
      return { kind: 'working', text: phaseWords[event.phase][0] }
    case 'step-started':
      return { kind: 'working', text: event.title }
    case 'phase-done':
      return event.phase === 'connect' ? undefined : { kind: 'ended', text: phaseWords[event.phase][1] }
    case 'host-failed':
      return { kind: 'failed', text: event.failure.message.split('\n')[0] ?? '' }
    default:
      return undefined
  }
}
