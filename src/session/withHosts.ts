import { isProcessRunning } from '../base/processIdentity.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import type { HostConfig } from '../config/model.ts'
import type { Emit } from '../deployment/events.ts'
import type { HostFacts, InstalledFacts } from '../deployment/facts/hostFacts.ts'
import type { RecordedMachines } from '../deployment/hostIdentity.ts'
import { layoutOf } from '../deployment/layout.ts'
import { lockingTransport, retryWhileHeld } from '../deployment/lock/lockingTransport.ts'
import { takeOverScript } from '../deployment/snapshot/confirmWithin.ts'
import { machinesOf } from '../deployment/state/openState.ts'
import {
  closeAll,
  type FactsScope,
  refreshSurvey,
  type Survey,
  surveyHosts,
  type UnreachableHost,
  unreachableOutcomes,
} from '../deployment/survey.ts'
import { chooseRenderer } from './chooseRenderer.ts'
import { connectHost, prepareConnections } from './connectHost.ts'
import { refuse } from './runPlan.ts'
import { namesOf } from './selectTargets.ts'
import { beginSession, type Session, type SurveyedSession } from './session.ts'
import { withRun } from './withRun.ts'

type SurveyOptions<Facts extends InstalledFacts> = {
  /** Facts to read of each host. */
  readonly scope: FactsScope<Facts>
  /** Number of hosts that must be reached; with fewer, the run is refused. */
  readonly requires: 'all' | 'one' | 'none'
  readonly work: (session: SurveyedSession<Facts>) => Promise<ExitCode>
}

/**
 * Runs `work` while holding the hosts' locks in the state directory, and the locks of and connections to every reachable
 * host.
 * `operation` names the command in events and records; waits up to `lockWait` milliseconds for locks.
 */
export async function withHosts<Facts extends InstalledFacts>(
  options: Omit<Session, 'run' | 'renderer'> &
    SurveyOptions<Facts> & {
      readonly operation: string
      readonly lockWait: number
      readonly locksCluster?: boolean
    },
): Promise<ExitCode> {
  const { context, config } = options
  await prepareConnections(context, config.hosts)
  return withRun(options, async (run) => {
    const machines = await machinesOf(config)
    const session = await beginSession({ ...options, run })
    return withSurvey(session, { ...options, machines })
  })
}

/**
 * Surveys and locks the hosts of a session, and runs `work` while the connections are open; always closes them. A host
 * that another run has locked ends the run with exit code 5.
 */
export async function withSurvey<Facts extends InstalledFacts>(
  session: Session,
  options: SurveyOptions<Facts> & { readonly machines: RecordedMachines },
): Promise<ExitCode> {
  const { context, renderer } = session
  const { requires, work } = options
  const survey = await surveyLocked(session, options).finally(() => renderer.end())
  try {
    if (context.signal.aborted) throw new Interrupted()
    const { unreachable, reached } = survey
    const isHeld = heldHosts(survey).length > 0
    const isTooFew = requires === 'all' ? unreachable.length > 0 : requires === 'one' && reached.length === 0
    if (!isHeld && !isTooFew) return await work({ ...session, survey })
    const exit = await refuse(session, { failed: unreachableOutcomes(survey), reported: true })
    return isHeld ? exitCodes.locked : exit
  } finally {
    await closeAll(survey)
  }
}

/**
 * Surveys and locks hosts besides those of the session, and runs `work` while the connections are open. One that cannot
 * be reached is in the survey only; one that another run has locked ends the run with exit code 5.
 */
export async function withFurtherHosts<Facts extends InstalledFacts>(
  session: Session,
  options: {
    readonly hosts: readonly HostConfig[]
    readonly scope: FactsScope<Facts>
    readonly machines: RecordedMachines
    readonly work: (survey: Survey<Facts>) => Promise<ExitCode>
  },
): Promise<ExitCode> {
  const { context, config, renderer } = session
  const emit: Emit = (event) => {
    const isLocked = event.type === 'host-failed' && event.failure.code === 'locked'
    if (event.type === 'notice' || isLocked) renderer.emit(event)
  }
  const further = { ...session, config: { ...config, hosts: options.hosts }, renderer: { ...renderer, emit } }
  const survey = await surveyLocked(further, options)
  try {
    if (context.signal.aborted) throw new Interrupted()
    const held = heldHosts(survey)
    if (held.length === 0) return await options.work(survey)
    await refuse(session, { failed: unreachableOutcomes({ unreachable: held }), reported: true })
    return exitCodes.locked
  } finally {
    await closeAll(survey)
  }
}

/** Hosts whose lock another run holds. */
const heldHosts = (survey: Pick<Survey, 'unreachable'>): readonly UnreachableHost[] =>
  survey.unreachable.filter(({ failure }) => failure.code === 'locked')

/**
 * Surveys all hosts and locks each in the same round trip. If another run holds a lock, releases those just taken and
 * retries all until the timeout of the run. The locks are held until the survey is closed.
 */
async function surveyLocked<Facts extends InstalledFacts>(
  { context, config, run, renderer }: Session,
  { machines, scope }: { readonly machines: RecordedMachines; readonly scope: FactsScope<Facts> },
): Promise<Survey<Facts>> {
  const { emit } = renderer
  const reported = new Set<string>()
  const once: Emit = (event) => {
    if (event.type === 'host-failed') {
      if (event.failure.code === 'locked' || reported.has(event.host)) return
      reported.add(event.host)
    }
    emit(event)
  }
  const survey = await retryWhileHeld(run.retryTiming, {
    attempt: async () => {
      const found = await surveyHosts({
        config,
        scope,
        forks: context.forks,
        connect: async (host) => {
          const layout = layoutOf(host.installDirectory)
          const { manifest, deployments } = layout
          return lockingTransport(await connectHost(context, host), {
            installDirectory: host.installDirectory,
            owner: run.owner,
            // A run that is refused, or that nobody confirms, leaves the host to go back by itself.
            takeOver: () => (run.hasBegun() ? takeOverScript({ cluster: config.cluster, layout }) : ''),
            ...(run.parent === undefined ? {} : { parent: run.parent }),
            runs: isProcessRunning,
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

/** Reads the facts of the hosts again, as the phase before left them. */
export async function resurvey(session: SurveyedSession<HostFacts>): Promise<SurveyedSession<HostFacts>> {
  const { context, config, json, run, survey } = session
  const renderer = run.follow(await chooseRenderer({ context, json, hosts: namesOf(config.hosts) }))
  const found = await refreshSurvey(config, { survey, emit: renderer.emit, forks: context.forks }).finally(
    () => renderer.end(),
  )
  return { ...session, survey: found }
}
