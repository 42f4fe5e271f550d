import { quote } from '../../base/shellWords.ts'
import type { DeploymentEvent, Emit, HostOutcome } from '../events.ts'
import type { RunOwner } from '../lock/runOwner.ts'
import type { RunRecord, UnfinishedRun } from './runRecord.ts'

/** Size in bytes at which a host's record is rotated: it and the previous one take 20 MB, some 60,000 changes. */
export const maxRecordBytes = 10 * 1024 * 1024

/** Returns the path of the rotated record. */
export const rotatedRecord = (path: string): string => `${path}.1`

/** Collects the events of one run for its record. */
export type Recorder = {
  readonly observe: Emit
  /**
   * Returns a script that appends the changes since the last call to the host's own record; empty for none. It is
   * sent with the next script.
   */
  readonly pending: (host: string, record: { readonly manifest: string; readonly path: string }) => string
  /** Returns the record before the first host is changed. */
  readonly unfinished: () => UnfinishedRun
  /** Returns the record of the run; undefined if it ended on no host, such as when the operator declined it. */
  readonly record: (exit: number) => RunRecord | undefined
}

export function createRecorder(options: {
  readonly owner: RunOwner
  readonly version: string
  readonly now: () => Date
}): Recorder {
  const { owner, version, now } = options
  const { id, operation, cluster, user, machine, pid } = owner
  const began = now()
  const lines = new Map<string, string[]>()
  const working = new Map<string, { readonly step: string; readonly title: string }>()
  const committing = new Set<string>()
  let targets: readonly string[] = []
  let outcomes: readonly HostOutcome[] | undefined

  const note = (host: string, facts: Readonly<Record<string, string | number>>): void => {
    const line = { time: now().toISOString(), run: id, operation, cluster, user, machine, ...facts }
    lines.set(host, [...(lines.get(host) ?? []), JSON.stringify(line)])
  }

  const unfinished = (): UnfinishedRun => ({
    ...{ id, operation, cluster, user, machine, pid, version },
    started: began.toISOString(),
    targets,
  })

  const observe = (event: DeploymentEvent): void => {
    if (event.type === 'run-started') targets = event.hosts
    else if (event.type === 'phase-started' && event.phase === 'commit') committing.add(event.host)
    else if (event.type === 'step-started') working.set(event.host, event)
    else if (event.type === 'step-done') {
      const { host, step, title: change, seconds } = event
      working.delete(host)
      note(host, { step, change, outcome: 'done', seconds: inMilliseconds(seconds) })
    } else if (event.type === 'step-undone') {
      const { host, step, title: change, seconds } = event
      note(host, { step, change, outcome: 'undone', seconds: inMilliseconds(seconds) })
    } else if (event.type === 'host-failed') {
      const at = working.get(event.host)
      if (at !== undefined) {
        note(event.host, { step: at.step, change: at.title, outcome: 'failed', code: event.failure.code })
      }
    } else if (event.type === 'run-ended') outcomes = event.outcomes
  }

  return {
    observe,
    unfinished,
    pending: (host, { manifest, path }) => {
      // During the stage phase of a first installation the folder may not exist yet.
      const waiting = lines.get(host) ?? []
      if (waiting.length === 0 || !committing.has(host)) return ''
      lines.delete(host)
      const words = waiting.map(quote).join(' ')
      const [file, older] = [quote(path), quote(rotatedRecord(path))]
      return `if [ -f ${quote(manifest)} ]; then printf '%s\\n' ${words} 2>/dev/null >> ${file}
  if [ "$(stat -c %s ${file} 2>/dev/null || echo 0)" -ge ${maxRecordBytes} ]; then mv -f ${file} ${older}; fi
fi
`
    },
    record: (exit) =>
      outcomes === undefined
        ? undefined
        : {
            ...unfinished(),
            seconds: inMilliseconds((now().getTime() - began.getTime()) / 1000),
            hosts: outcomes.map(roundedTimes),
            exit,
          },
  }
}

const inMilliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000

const roundedTimes = (outcome: HostOutcome): HostOutcome => ({
  ...outcome,
  seconds: Object.fromEntries(
    Object.entries(outcome.seconds).map(([phase, value]) => [phase, inMilliseconds(value)]),
  ),
})
