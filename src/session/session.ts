import type { CommandContext } from '../cli/context.ts'
import type { InstalledFacts } from '../deployment/facts/hostFacts.ts'
import type { ClusterState } from '../deployment/state/clusterState.ts'
import { type OpenedState, openState } from '../deployment/state/openState.ts'
import type { StatePlace } from '../deployment/state/statePlace.ts'
import type { Survey } from '../deployment/survey.ts'
import type { Renderer } from '../output/deployment/progress.ts'
import { limitedRunText } from '../output/deployment/verdict.ts'
import { chooseRenderer } from './chooseRenderer.ts'
import { namesOf, type SelectedCluster } from './selectTargets.ts'
import type { Run } from './withRun.ts'

/** State that the stages of a run share: survey, decide, show, ask, execute. */
export type Session = {
  readonly context: CommandContext
  readonly config: SelectedCluster
  /** Events for programs instead of words for people. */
  readonly json: boolean
  /** Agrees beforehand. */
  readonly yes: boolean
  readonly run: Run
  /** Shows the survey live, and takes events until the run ends. */
  readonly renderer: Renderer
}

/** A session with open connections to the hosts that were reached. */
export type SurveyedSession<Facts extends InstalledFacts> = Session & { readonly survey: Survey<Facts> }

/** Begins the session of a run; its renderer shows the events from now on. */
export async function beginSession(options: Omit<Session, 'renderer'>): Promise<Session> {
  const { context, config, json, yes, run } = options
  const { id, operation, cluster } = run.owner
  const hosts = namesOf(config.hosts)
  const renderer = run.follow(await chooseRenderer({ context, json, hosts }))
  renderer.emit({ type: 'run-started', run: id, operation, cluster, hosts })
  return { context, config, json, yes, run, renderer }
}

/** Reports a message: an event for programs, a line for people. */
export function report({ context, json, renderer }: Session, message: string): void {
  if (json) renderer.emit({ type: 'notice', message })
  else context.stdout.write(`${message}\n`)
}

/** Reports which part of the file the run was for, where it was not all of it. */
export function reportLimitedRun(session: Session): void {
  const { hosts, excluded } = session.config
  const message = limitedRunText({ ...session.config, hosts: namesOf(hosts), excluded: namesOf(excluded) })
  if (message !== undefined && session.context.verbosity !== 'quiet') report(session, message)
}

/** Opens the state directory to change it, and prints what there is to say about its files. */
export async function openStateToChange(
  context: Pick<CommandContext, 'stderr'>,
  { directory, cluster }: StatePlace,
): Promise<ClusterState> {
  const opened = await openState({ directory, cluster })
  printNotes(context, opened)
  return opened.state
}

/** Prints what there is to say about the files of a state directory. */
export function printNotes({ stderr }: Pick<CommandContext, 'stderr'>, { notes }: OpenedState): void {
  for (const note of notes) stderr.write(`note: ${note}\n`)
}
