import { randomBytes } from 'node:crypto'
import { thisProcess } from '../../base/processIdentity.ts'
import type { CommandContext } from '../../cli/context.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import type { ClusterConfig } from '../../config/model.ts'
import type { SwitchOperation } from '../../contracts/managerPayloads.ts'
import { runId } from '../../deployment/lock/runOwner.ts'
import { isInRun, lockState } from '../../deployment/state/lockState.ts'
import { notify } from '../notify.ts'
import { createRunHooks } from './runHooks.ts'
import { runNotification } from './runNotification.ts'

/**
 * Switches or replaces a primary between before-run and after-run, and tells webhooks. A switch changes no host by itself, so it has
 * no hooks for hosts; one that a hook started has none at all. Throws `StateError`.
 */
export async function withSwitchHooks(
  context: CommandContext,
  of: {
    readonly operation: SwitchOperation
    readonly config: Pick<ClusterConfig, 'cluster' | 'directory' | 'hooks' | 'notify'>
    /** Hosts of the old and the new primary. */
    readonly hosts: readonly string[]
  },
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  const { cluster, directory } = of.config
  const { operation } = of
  const place = { directory, cluster }
  if (await isInRun(place)) return work()
  // The managers let one switch at a time in. This lock only shows hooks, and what they start, whose run they are in.
  const lock = of.config.hooks && (await lockState(place, { now: context.now(), operation, hosts: [] }))
  return switchWithHooks(context, of, work).finally(() => lock?.release())
}

async function switchWithHooks(
  context: CommandContext,
  of: Parameters<typeof withSwitchHooks>[1],
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  const { operation, config } = of
  const { cluster } = config
  const id = runId(context.now(), randomBytes(3).toString('hex'))
  const owner = { id, operation, cluster, ...thisProcess() }
  const started = context.now().toISOString()
  const hooks = createRunHooks({ context, config, owner })
  if (!(await hooks.begin(of.hosts.map((host) => ({ host, steps: [operation] }))))) {
    context.stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  const end = async (exit: ExitCode): Promise<void> => {
    await hooks.end({ exit })
    const event = runNotification(owner, { exit, record: undefined, started, targets: of.hosts })
    await notify(context, { config, event })
  }
  const exit = await work().catch(async (error: unknown) => {
    await end(exitCodes.failed)
    throw error
  })
  await end(exit)
  return exit === exitCodes.ok && hooks.hasFailedLater() ? exitCodes.failed : exit
}
