import { processRuns } from '../accounts/processStart.ts'
import type { CommandContext } from '../cli/context.ts'
import type { ClusterConfig } from '../config/model.ts'
import type { Emit } from '../deployment/events.ts'
import type { InstalledFacts } from '../deployment/facts/model.ts'
import type { Machines } from '../deployment/hostIdentity.ts'
import { layoutOf } from '../deployment/layout.ts'
import { lockingTransport } from '../deployment/lock/lockingTransport.ts'
import { patiently } from '../deployment/lock/patiently.ts'
import { closeAll, type Look, type LostHost, type Survey, surveyHosts } from '../deployment/survey.ts'
import { connectHost } from './connectHost.ts'
import type { Run } from './inRun.ts'

/** The hosts whose lock another run holds. */
export const heldHosts = (survey: Pick<Survey, 'lost'>): readonly LostHost[] =>
  survey.lost.filter(({ failure }) => failure.code === 'locked')

/**
 * Surveys all hosts and takes the lock of each in the same round trip. Where another run holds one, those
 * just taken are let go at once and, within the patience of the run, all are tried again later; `heldHosts`
 * of the result tells whether it ended without them. The locks are held until the survey is closed.
 */
export async function surveyLocked<Facts extends InstalledFacts>(options: {
  readonly context: CommandContext
  readonly config: ClusterConfig
  readonly run: Run
  readonly emit: Emit
  readonly machines: Machines
  readonly look: Look<Facts>
}): Promise<Survey<Facts>> {
  const { context, config, run, emit, machines, look } = options
  const told = new Set<string>()
  const once: Emit = (event) => {
    if (event.type === 'host-failed') {
      if (event.failure.code === 'locked' || told.has(event.host)) return
      told.add(event.host)
    }
    emit(event)
  }
  const survey = await patiently(run.patience, {
    attempt: async () => {
      const found = await surveyHosts({
        config,
        look,
        connect: async (host) => {
          const { manifest, deployments } = layoutOf(host.installDirectory)
          return lockingTransport(await connectHost(context, host), {
            installDirectory: host.installDirectory,
            owner: run.owner,
            runs: processRuns,
            beforeNext: () => run.recorder.pending(host.name, { manifest, path: deployments }),
          })
        },
        emit: once,
        machines,
        clock: () => performance.now(),
      })
      if (heldHosts(found).length > 0) await closeAll(found)
      return found
    },
    done: (found) => heldHosts(found).length === 0,
    waiting: (found) => {
      for (const { host, failure } of heldHosts(found)) {
        emit({ type: 'notice', message: `waiting for ${host.name}: ${failure.message}` })
      }
    },
  })
  for (const { host, failure } of heldHosts(survey)) emit({ type: 'host-failed', host: host.name, failure })
  return survey
}
