import type { CommandContext } from '../cli/context.ts'
import type { ExitCode } from '../cli/exitCodes.ts'
import type { HostOutcome } from '../deployment/events.ts'
import { chooseRenderer } from './chooseRenderer.ts'
import { exitOfRun } from './exitOfRun.ts'
import type { Run } from './inRun.ts'
import { notStarted } from './notStarted.ts'
import { namesOf, type SelectedCluster } from './selectTargets.ts'

/** Ends a run that touches nothing, since some hosts failed; `told` where their failures were shown already. */
export async function refuseHosts(options: {
  readonly context: CommandContext
  readonly config: SelectedCluster
  readonly json: boolean
  readonly run: Run
  readonly failed: readonly HostOutcome[]
  readonly failures: 'told' | 'tell'
}): Promise<ExitCode> {
  const { context, json, run, failed, failures } = options
  const hosts = namesOf(options.config.hosts)
  const renderer = run.follow(await chooseRenderer({ context, json, hosts }))
  for (const { host, failure } of failures === 'tell' ? failed : []) {
    if (failure !== undefined) renderer.emit({ type: 'host-failed', host, failure })
  }
  await renderer.end()
  const outcomes = hosts.map(
    (name): HostOutcome => failed.find(({ host }) => host === name) ?? notStarted(name),
  )
  renderer.emit({ type: 'run-ended', outcomes, interrupted: false })
  context.stderr.write('Nothing was changed.\n')
  return exitOfRun(outcomes, false)
}
