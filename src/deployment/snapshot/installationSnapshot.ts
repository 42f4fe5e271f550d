import { type Component, components } from '../../contracts/component.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { Transport } from '../../transport/transport.ts'
import { installedData } from '../desiredService.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import { installedSet } from '../installedSet.ts'
import { waitUntilResponding } from '../plans/serviceOperationPlan.ts'
import { runOrThrow } from '../runOrThrow.ts'
import type { ServiceAccount } from '../serviceAccount.ts'
import { copyData, currentData, movedFrom } from '../services/moveData.ts'
import { drainTimeoutOf, stopScriptTimeout } from '../services/stopTimeouts.ts'
import type { Target } from '../target.ts'
import { armScript, type ConfirmWithin, confirmHost, takeOverScript } from './confirmWithin.ts'
import { restoreScript } from './restoreScript.ts'
import type { Snapshot } from './snapshot.ts'
import { discardScript, takeScript } from './takeScript.ts'
import { restoreUsersScript, writtenUsers } from './userRestore.ts'

/** Values that a restore depends on; a `Target` is one. */
export type SnapshotTarget = Pick<
  Target,
  'cluster' | 'layout' | 'data' | 'facts' | 'users' | 'removedUsers'
> & {
  readonly service: ServiceAccount
  readonly host: Pick<Target['host'], 'proxy'>
  /** Release that is installed, or that the run installs. */
  readonly release: Pick<Target['release'], 'id'>
}

/**
 * Returns the snapshot of a host for an installation: one round trip before it, none if the installation never ran.
 * With `confirm` the host goes back by itself unless it is told in time that its logins were verified.
 */
export function installationSnapshot(target: SnapshotTarget, confirm?: ConfirmWithin): Snapshot {
  const { facts, service } = target
  const fresh = isFresh(facts)
  const back = wayBack(target, fresh)
  const take = (transport: Transport): Promise<void> =>
    takeSnapshot(transport, {
      root: target.layout.root,
      script: fresh ? '' : takeScript({ ...target, account: service }),
      arm: confirm === undefined ? '' : armScript({ ...target, ...confirm, ...back }),
      stdin: confirm === undefined ? undefined : back.stdin,
    })
  return {
    ...leftoverSnapshot(target),
    ...(fresh && confirm === undefined ? {} : { take }),
    ...(confirm === undefined ? {} : { confirm: (transport) => confirmHost(transport, target) }),
    restore: async (transport) => {
      const { stdout } = await runOrThrow(transport, {
        doing: 'restoring the previous state',
        fix: `Fix what the lines above report, then install again. More of the logs: \`muster logs --host ${transport.host}\`.${fresh ? '' : ` The previous state is kept in ${target.layout.snapshot}.`}`,
        script: `${confirm === undefined ? '' : takeOverScript(target)}${back.script}`,
        ...(back.stdin === undefined ? {} : { stdin: back.stdin }),
        timeout: 3 * stopScriptTimeout(back.drainTimeout),
      })
      await requireResponses(transport, target, componentsNamed(stdout.raw(), 'started'))
      return describeRestore(target, componentsNamed(stdout.raw(), 'kept', 'started'))
    },
  }
}

/** The script that restores a host, and its input. */
function wayBack(target: SnapshotTarget, fresh: boolean) {
  const { facts, service } = target
  const written = writtenUsers(target.users, facts, target.removedUsers)
  const from = movedFrom(target)
  const drainTimeout = Math.max(drainTimeoutOf(facts), target.host.proxy?.drainTimeout ?? 0)
  const script = restoreScript(
    { ...target, account: service, data: installedData(facts, target) },
    {
      fresh,
      users:
        written === undefined
          ? ''
          : restoreUsersScript({
              ...{ data: currentData(target), account: service, facts },
              folder: releaseFolder(target),
            }),
      drainTimeout,
      data: from === undefined ? '' : copyData({ from: target.data, to: from, account: service }),
    },
  )
  return { script, stdin: written, drainTimeout }
}

/** Takes the snapshot and arms the way back in one round trip: without the snapshot nothing is armed. */
async function takeSnapshot(
  transport: Transport,
  options: {
    readonly root: string
    readonly script: string
    readonly arm: string
    readonly stdin: string | Buffer | Secret | undefined
  },
): Promise<void> {
  const { root, script, arm, stdin } = options
  await runOrThrow(transport, {
    doing: `taking a snapshot of ${root}`,
    fix: `Check that ${root} is writable and has free space, then install again.`,
    // An empty subshell is a syntax error.
    script: script === '' || arm === '' ? `${script}${arm}` : `(\n${script}\n) </dev/null || exit 1\n${arm}`,
    ...(stdin === undefined ? {} : { stdin }),
  })
}

/**
 * Returns the snapshot for a run that restores otherwise: it only removes the leftover of an installation after
 * verification.
 */
export const leftoverSnapshot = (installed: Pick<Target, 'layout' | 'facts'>): Snapshot => ({
  leftover: installed.facts.installation.leftCopy || installed.facts.installation.wentBack !== undefined,
  discard: async (transport) => {
    await runOrThrow(transport, {
      doing: `removing ${installed.layout.snapshot}`,
      fix: 'Remove it by hand.',
      script: discardScript(installed),
    })
  },
})

/** Returns true if no component ever ran: then there is nothing to copy. */
const isFresh = ({ installation, services }: HostFacts): boolean =>
  !installation.leftCopy &&
  installation.applied.size === 0 &&
  [...services.values()].every(({ state }) => state !== 'running')

const releaseFolder = ({ layout, release }: SnapshotTarget): string => `${layout.releases}/${release.id}`

async function requireResponses(
  transport: Transport,
  target: SnapshotTarget,
  names: readonly Component[],
): Promise<void> {
  const set = { ...installedSet(target), drainTimeout: 0, components: names }
  await waitUntilResponding(transport, set)
}

/** Returns the components that the script printed after one of these words. */
function componentsNamed(stdout: string, ...words: readonly string[]): readonly Component[] {
  const lines = stdout.split('\n')
  return components.filter((component) => words.some((word) => lines.includes(`${word} ${component}`)))
}

function describeRestore({ release, facts }: SnapshotTarget, running: readonly Component[]): string {
  const runs =
    running.length === 0
      ? 'no component ran before, and none runs now'
      : `${running.join(', ')} ${running.length === 1 ? 'runs' : 'run'} as before`
  const stays =
    facts.installation.currentRelease === release.id
      ? ''
      : ` The release ${release.id} stays on the host for the next run.`
  return `The changes on the host were undone: ${runs}.${stays}`
}
