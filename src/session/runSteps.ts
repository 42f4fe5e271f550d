import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { colourOf, lineLayout, lineWidth } from '../cli/terminal.ts'
import type { HostOutcome } from '../deployment/events.ts'
import { execute } from '../deployment/execution/execute.ts'
import type { HostWork } from '../deployment/execution/hostRun.ts'
import type { Rollout } from '../deployment/execution/rollout.ts'
import type { InstalledFacts } from '../deployment/facts/hostFacts.ts'
import { type Survey, unreachableOutcomes } from '../deployment/survey.ts'
import { changesText, summaryText } from '../output/deployment/summary.ts'
import { nextStepsText, stoppedText } from '../output/deployment/verdict.ts'
import { chooseRenderer, isLive } from './chooseRenderer.ts'
import { exitOfRun, notStarted } from './outcomes.ts'
import type { Run } from './withRun.ts'

/** Executes steps on the reached hosts, prints the result of every host, and returns the exit code. */
export async function runSteps(options: {
  readonly context: CommandContext
  readonly json: boolean
  readonly run: Run
  readonly survey: Survey<InstalledFacts>
  readonly work: readonly HostWork[]
  /** Absent: all hosts at once. */
  readonly rollout?: Rollout
  /** False where no plan was printed, which names the steps. */
  readonly isPlanned?: boolean
}): Promise<ExitCode> {
  const { context, json, run, survey, work, rollout, isPlanned = true } = options
  const { signal, stdout } = context
  const hosts = work.map(({ host }) => host)
  const renderer = run.follow(await chooseRenderer({ context, json, hosts, isPlanned }))
  if (!(await run.hooks.begin(work))) {
    await renderer.end()
    const outcomes = work.map(({ host }) => notStarted(host))
    renderer.emit({ type: 'run-ended', outcomes, interrupted: false })
    context.stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  await run.begin()
  const stopping = (): void => renderer.emit({ type: 'stopping' })
  signal.addEventListener('abort', stopping, { once: true })
  const done = await execute({
    hosts: work,
    ...(rollout === undefined ? {} : { rollout }),
    hooks: run.hooks.forHosts(renderer.emit),
    forks: context.forks,
    emit: renderer.emit,
    signal,
    clock: () => performance.now(),
  }).finally(() => {
    signal.removeEventListener('abort', stopping)
    return renderer.end()
  })
  const before = new Map(survey.reached.map((one) => [one.host.name, one.seconds]))
  const outcomes = [
    ...done.map((one) => ({ ...one, seconds: { ...before.get(one.host), ...one.seconds } })),
    ...unreachableOutcomes(survey),
  ]
  renderer.emit({ type: 'run-ended', outcomes, interrupted: signal.aborted })
  if (!json && context.verbosity !== 'quiet') {
    stdout.write(summaryText(outcomes, lineLayout(context, stdout)))
    // A log has the plan or a line for each change; the progress of a host is printed only now.
    const listed = isLive(context) ? outcomes : isPlanned ? outcomes.filter(isPartial) : []
    stdout.write(changesText(listed, colourOf(context, stdout)))
    stdout.write(nextStepsText(run.owner.operation, outcomes, lineWidth(stdout)) ?? '')
  }
  if (!json && signal.aborted) stdout.write(stoppedText(run.owner.operation, outcomes))
  return exitOfRun(outcomes, signal.aborted)
}

/** Returns true for a host of which some of the planned changes are not made, or were taken back. */
const isPartial = ({ result }: HostOutcome): boolean => result !== 'changed'
