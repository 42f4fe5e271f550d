import { quote } from '../../base/shellWords.ts'
import type { Component } from '../../contracts/component.ts'
import type { Transport } from '../../transport/transport.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import {
  rolledBackMarker,
  rollingBackMarker,
  switchScript,
  unfinishedRollback,
} from '../releases/releaseScripts.ts'
import { restartServices } from '../services/control.ts'
import { startOrThrow } from '../services/serviceFailure.ts'
import type { ServiceSet } from '../services/serviceManager.ts'
import { stopScriptTimeout } from '../services/stopTimeouts.ts'
import { change, draining, type Step } from '../step.ts'
import { waitUntilResponding } from './serviceOperationPlan.ts'

type Rollback = {
  readonly facts: HostFacts
  readonly set: ServiceSet
  readonly release: string
}

/** Returns the steps to another release on the host; settings, certificates and users stay. */
export function rollbackPlan(options: Omit<Rollback, 'facts'>): readonly Step[] {
  const { set, release } = options
  const names = set.components.join(', ')
  return [
    {
      id: 'switch-back',
      title: `go back to release ${release}`,
      phase: 'commit',
      check: ({ installation }) => {
        const is = installation.currentRelease
        const details = [`restart ${names}`]
        const unfinished = unfinishedRollback(installation) !== undefined
        if (is === release && !unfinished) return undefined
        const summary =
          is === release
            ? `end the rollback to release ${release}`
            : `switch ${is === undefined ? '' : `from ${is} `}back to release ${release}`
        return draining(change(summary, details), set.drainTimeout)
      },
      apply: async (transport) => {
        await startOrThrow(transport, set, {
          doing: `switching back to release ${release}`,
          fix: `Fix what the lines above report, then roll back again. More of the log: \`muster logs --host ${transport.host}\``,
          script: switchAndRestart(set, release),
          timeout: stopScriptTimeout(set.drainTimeout),
        })
      },
    },
  ]
}

/** Returns a restore of the release that ran before, with the settings it was started with. */
export const restoreRelease =
  (options: Rollback) =>
  async (transport: Transport): Promise<void> => {
    const { facts, set, release } = options
    const before = facts.installation.currentRelease
    if (before === undefined) return
    const digest = (component: Component): string =>
      facts.installation.applied.get(component) ?? rolledBackMarker(before)
    await startOrThrow(transport, set, {
      doing: `switching to release ${before} again`,
      fix: `Fix what the lines above report, then install again. More of the log: \`muster logs --host ${transport.host}\``,
      script: [
        switchAndRestart(set, before),
        writeApplied(set, digest),
        restoreTurnScript(facts, set, release),
      ].join('\n'),
      timeout: stopScriptTimeout(set.drainTimeout),
    })
    await waitUntilResponding(transport, set)
  }

/**
 * Returns sh that first replaces the digests of the components by a marker of the target release, so that the next
 * run, a rollback or an installation, completes an interrupted one.
 */
function switchAndRestart(set: ServiceSet, release: string): string {
  return `set -e
${writeApplied(set, () => rollingBackMarker(release))}
${switchScript(set.layout, release)}
set +e
cd / || exit 1
{
${restartServices(set)}
} || exit 1
${writeApplied(set, () => rolledBackMarker(release))}`
}

const writeApplied = ({ layout, components: names }: ServiceSet, text: (of: Component) => string): string =>
  names.map((name) => `printf '%s\\n' ${quote(text(name))} > ${quote(layout.appliedFile(name))}`).join('\n')

/** Returns sh that restores the order of releases: one that failed here must not be the next rollback's choice. */
function restoreTurnScript({ installation }: HostFacts, { layout }: ServiceSet, release: string): string {
  const record = quote(`${layout.releases}/${release}/.activated`)
  const { turn = 0, since = '' } = installation.releases.find(({ id }) => id === release) ?? {}
  return turn === 0 ? `rm -f ${record}` : `printf '%s %s\\n' ${turn} ${quote(since)} > ${record}`
}
