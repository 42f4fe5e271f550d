import type { DeploymentEvent, Emit, Phase } from '../../deployment/events.ts'
import { withoutHostName } from './failureText.ts'

/** Shows events as they come. `end` resolves when all output is written. */
export type Renderer = { readonly emit: Emit; readonly end: () => Promise<void> }

/** Names a wave: `wave 1 of 5 (canary)`, `wave 2 of 5`. */
export const waveTitle = ({ canary, wave, of }: Extract<DeploymentEvent, { type: 'wave-started' }>): string =>
  `wave ${wave} of ${of}${canary ? ' (canary)' : ''}`

/** Current activity of a host, in a few words. */
export type HostState = {
  readonly kind: 'waiting' | 'working' | 'ended' | 'failed'
  readonly text: string
}

/** Progress of a run; hosts in the order of the file. */
export type Progress = {
  readonly hosts: ReadonlyMap<string, HostState>
  /** State of hosts that completed the phase: `reached`, `prepared`, `done`. */
  readonly verb: string
  /** Name of the current wave; empty before the first. */
  readonly wave: string
  /** The run was asked to stop after the current steps. */
  readonly stopping: boolean
}

/** Name of each phase while it runs, and state of a host after it. */
const phaseWords: Readonly<Record<Phase, readonly [during: string, after: string]>> = {
  connect: ['connecting', 'reached'],
  facts: ['reading facts', 'reached'],
  stage: ['preparing', 'prepared'],
  commit: ['switching over', 'done'],
  verify: ['verifying logins', 'done'],
}

const waiting: HostState = { kind: 'waiting', text: 'waiting' }

/** Follows the events of a run; the cost of an event does not grow with the number of hosts. */
export function followProgress(names: readonly string[]): {
  readonly now: () => Progress
  /** Returns true if the display changes. */
  readonly observe: (event: DeploymentEvent) => boolean
} {
  const hosts = new Map(names.map((host) => [host, waiting]))
  let verb = 'done'
  let wave = ''
  let stopping = false

  function startWave(event: Extract<DeploymentEvent, { type: 'wave-started' }>): void {
    // Prepared hosts have not switched over yet.
    const begin = verb === 'prepared' ? names : event.hosts
    for (const host of begin) if (hosts.get(host)?.kind === 'ended') hosts.set(host, waiting)
    verb = 'done'
    wave = event.of === 1 ? '' : waveTitle(event)
  }

  return {
    now: () => ({ hosts, verb, wave, stopping }),
    observe: (event) => {
      if (event.type === 'wave-started') {
        startWave(event)
        return true
      }
      if (event.type === 'stopping') {
        stopping = true
        return true
      }
      const state = stateAfter(event)
      if (state === undefined || !('host' in event)) return false
      const is = hosts.get(event.host)
      if (is === undefined || is.kind === 'failed') return false
      if (event.type === 'phase-started') verb = phaseWords[event.phase][1]
      hosts.set(event.host, state)
      return true
    },
  }
}

function stateAfter(event: DeploymentEvent): HostState | undefined {
  switch (event.type) {
    case 'phase-started':
      return { kind: 'working', text: phaseWords[event.phase][0] }
    case 'hook-started':
      return { kind: 'working', text: `${event.hook} hook` }
    case 'step-started':
      return { kind: 'working', text: event.title }
    case 'phase-done':
      return event.phase === 'connect' ? undefined : { kind: 'ended', text: phaseWords[event.phase][1] }
    case 'host-failed':
      return { kind: 'failed', text: withoutHostName(event.host, event.failure.message).split('\n')[0] ?? '' }
    default:
      return undefined
  }
}
