import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import type { ClusterConfig } from '../config/model.ts'
import type { InstalledFacts } from '../deployment/facts/model.ts'
import type { Machines } from '../deployment/hostIdentity.ts'
import { machinesOf } from '../deployment/state/openState.ts'
import { closeAll, type Look, lostOutcomes, type Survey } from '../deployment/survey.ts'
import { chooseRenderer } from './chooseRenderer.ts'
import { prepareConnections } from './connectHost.ts'
import { inRun, type Run } from './inRun.ts'
import { notStarted } from './notStarted.ts'
import { namesOf } from './selectTargets.ts'
import { heldHosts, surveyLocked } from './surveyLocked.ts'

type WithHosts<Facts extends InstalledFacts> = {
  readonly context: CommandContext
  readonly config: ClusterConfig
  readonly json: boolean
  /** The command's name, for the events. */
  readonly operation: string
  /** Milliseconds that locks of other runs are waited for. */
  readonly lockWait: number
  /** How much of each host is read. */
  readonly look: Look<Facts>
}

/**
 * Holds the lock of the state directory, and the lock of and a connection to every host that can be reached,
 * while `work` runs; however it ends, everything is let go, since an open connection keeps the program from
 * ending. With a host whose lock another run holds there is no work: exit code 5.
 */
export const withHosts = <Facts extends InstalledFacts>(
  options: WithHosts<Facts> & {
    readonly work: (survey: Survey<Facts>, run: Run) => Promise<ExitCode>
  },
): Promise<ExitCode> =>
  withKnownHosts({ ...options, known: async () => ({ machines: await machinesOf(options.config) }) })

/** The same for work that wants more of the state directory: `known` reads it, once nobody else can change it. */
export async function withKnownHosts<
  Facts extends InstalledFacts,
  Known extends { readonly machines: Machines },
>(
  options: WithHosts<Facts> & {
    readonly known: () => Promise<Known>
    readonly work: (survey: Survey<Facts>, run: Run, known: Known) => Promise<ExitCode>
  },
): Promise<ExitCode> {
  const { context, config, json, operation, look, work } = options
  const hosts = namesOf(config.hosts)
  await prepareConnections(context, config.hosts)
  return inRun(options, async (run) => {
    const known = await options.known()
    const { machines } = known
    const renderer = run.follow(await chooseRenderer({ context, json, hosts }))
    renderer.emit({ type: 'run-started', run: run.owner.id, operation, cluster: config.cluster, hosts })
    const { emit } = renderer
    const survey = await surveyLocked({ context, config, run, emit, machines, look }).finally(() =>
      renderer.end(),
    )
    if (context.signal.aborted) {
      await closeAll(survey)
      throw new Interrupted()
    }
    if (heldHosts(survey).length === 0) return work(survey, run, known).finally(() => closeAll(survey))
    const left = survey.reached.map(({ host }) => notStarted(host.name))
    renderer.emit({ type: 'run-ended', outcomes: [...left, ...lostOutcomes(survey)], interrupted: false })
    context.stderr.write('Nothing was changed.\n')
    return exitCodes.locked
  })
}
