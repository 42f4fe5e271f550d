import { isConfirmed } from '../cli/ask.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { lineLayout } from '../cli/terminal.ts'
import type { HostOutcome } from '../deployment/events.ts'
import type { HostWork } from '../deployment/execution/hostRun.ts'
import type { Rollout } from '../deployment/execution/rollout.ts'
import { wavesOf } from '../deployment/execution/wave.ts'
import type { InstalledFacts } from '../deployment/facts/hostFacts.ts'
import { failureOf } from '../deployment/hostFailure.ts'
import type { HostPlan } from '../deployment/hostPlan.ts'
import { verifiedHosts } from '../deployment/runs/runRecord.ts'
import type { StepError } from '../deployment/stepError.ts'
import { planText, wavesText } from '../output/deployment/plan.ts'
import { hookNotes } from './hooks/runHooks.ts'
import { exitOfRun, failedOutcome, refusedOutcomes } from './outcomes.ts'
import { runSteps } from './runSteps.ts'
import { namesOf } from './selectTargets.ts'
import type { Session, SurveyedSession } from './session.ts'

/** Planned changes of a run, decided before anything is changed. */
export type RunPlan = {
  readonly work: readonly (HostWork & HostPlan)[]
  /** Notes at the top of the plan. */
  readonly notes: readonly string[]
  /** Absent: all hosts at once. */
  readonly rollout?: Rollout
  /** Asks for confirmation also if no host changes. */
  readonly alwaysConfirms?: boolean
  /** Saves what must be known before hosts change, executes, and saves what was verified. Absent: only executes. */
  readonly executeAndSave?: (execute: () => Promise<Executed>) => Promise<ExitCode>
}

/** Result of the steps of a plan. */
type Executed = {
  readonly exit: ExitCode
  /** Names of the hosts that the run verified. */
  readonly verified: readonly string[]
}

/** Reason to change nothing. */
export type Refusal = {
  /** The others are not started. */
  readonly failed: readonly HostOutcome[]
  /** Their failures have been printed. */
  readonly reported: boolean
  /** The user stopped the run, which decides its exit code. */
  readonly interrupted?: boolean
  /** Printed in the end; `Nothing was changed.` without it. */
  readonly message?: string
}

/**
 * Runs one plan to its end: refuses, or shows it, asks, and executes it. If no host changes, it only verifies, without
 * a question.
 */
export async function runPlan(
  session: SurveyedSession<InstalledFacts>,
  plan: RunPlan | Refusal,
): Promise<ExitCode> {
  if ('failed' in plan) return refuse(session, plan)
  const { context, config, json, yes, run } = session
  const { work, notes, executeAndSave } = plan
  const asks = plan.alwaysConfirms === true || changes(plan)
  // Nobody agrees to what was not shown.
  if (!json && (context.verbosity !== 'quiet' || (asks && !yes))) {
    const hooks = changes(plan) ? hookNotes(config) : []
    const left = namesOf(config.excluded)
    const layout = lineLayout(context, context.stdout)
    context.stdout.write(
      `${planText({ cluster: config.cluster, notes: [...notes, ...hooks], plans: work, excluded: left, ...layout })}\n`,
    )
  }
  if (asks && !(await isConfirmed(context, { yes, question: 'Go on?', run }))) {
    context.stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  if (!(await run.hooks.begin(work))) return refuseForHook(session)
  const execute = async (): Promise<Executed> => {
    const exit = await runSteps({ ...session, ...plan })
    return { exit, verified: verifiedHosts(run.recorder.record(exit)) }
  }
  return executeAndSave === undefined ? (await execute()).exit : executeAndSave(execute)
}

/** Ends a run whose before-run hook failed; the hook's reason has been printed. */
async function refuseForHook(session: Session): Promise<ExitCode> {
  await refuse(session, { failed: [], reported: true })
  return exitCodes.failed
}

/** Returns true for a plan that changes a host. */
export const changes = ({ work }: Pick<RunPlan, 'work'>): boolean =>
  work.some(({ steps }) => steps.length > 0)

/** Ends a run that touches nothing, since some hosts failed. */
export async function refuse(
  { context, config, renderer }: Session,
  { failed, reported, interrupted = false, message = 'Nothing was changed.' }: Refusal,
): Promise<ExitCode> {
  for (const { host, failure } of reported ? [] : failed) {
    if (failure !== undefined) renderer.emit({ type: 'host-failed', host, failure })
  }
  await renderer.end()
  const outcomes = refusedOutcomes(namesOf(config.hosts), failed)
  renderer.emit({ type: 'run-ended', outcomes, interrupted })
  context.stderr.write(`${message}\n`)
  return exitOfRun(outcomes, interrupted)
}

/** Refuses a plan for what stands in the way on some hosts. */
export const refusalFor = (problems: readonly StepError[]): Refusal => ({
  failed: problems.map((problem) => failedOutcome(problem.host, failureOf(problem))),
  reported: false,
})

/** The order in which hosts change, as a note of the plan; none for all at once. */
export function orderNotes(work: RunPlan['work'], rollout: Rollout): readonly string[] {
  const order = wavesText(wavesOf(work, rollout), rollout)
  return order === undefined ? [] : [order]
}
