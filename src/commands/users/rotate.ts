import { randomBytes } from 'node:crypto'
import { createHasher, type Hasher } from '../../accounts/hasher.ts'
import { saltBytes } from '../../accounts/passwordHash.ts'
import { makePassword } from '../../certificates/password.ts'
import { agreed, mustBeAbleToAsk } from '../../cli/confirmChanges.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { Interrupted } from '../../cli/interrupted.ts'
import { UsageError } from '../../cli/usageError.ts'
import type { InstalledFacts } from '../../deployment/facts/model.ts'
import { provedHosts } from '../../deployment/runs/runRecord.ts'
import { type ClusterState, emptyState, type UserState } from '../../deployment/state/clusterState.ts'
import { openState, readState } from '../../deployment/state/openState.ts'
import { saveState } from '../../deployment/state/saveState.ts'
import { stateFolder } from '../../deployment/state/statePlace.ts'
import { installedLook, lostOutcomes, type Survey } from '../../deployment/survey.ts'
import { carryOutRotation } from '../../deployment/users/carryOutRotation.ts'
import { chooseNewPassword } from '../../deployment/users/chooseNewPassword.ts'
import { type NewLogin, rotateHost } from '../../deployment/users/rotateHost.ts'
import { beginRotation } from '../../deployment/users/rotation.ts'
import { rotatedText } from '../../output/deployment/rotated.ts'
import type { Secret } from '../../secrets/secret.ts'
import { chooseRenderer } from '../../session/chooseRenderer.ts'
import type { Run } from '../../session/inRun.ts'
import { madePasswordText } from '../../session/madePasswordText.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { refuseHosts } from '../../session/refuseHosts.ts'
import { runSteps } from '../../session/runSteps.ts'
import { namesOf, type SelectedCluster } from '../../session/selectTargets.ts'
import { showPlan } from '../../session/showPlan.ts'
import { withHosts } from '../../session/withHosts.ts'
import { readUserPasswords } from '../readUserPasswords.ts'
import { hostsThatName } from './hostsThatName.ts'
import { readNewPassword } from './newPassword.ts'

export type RotateOptions = ClusterOptions & {
  readonly user: string
  readonly yes: boolean
  readonly json: boolean
  readonly lockWait: number
  /** File with the new password, or `-` for standard input; absent: one is made, or a rotation goes on. */
  readonly newPassword: string | undefined
  /** Whether a made password is shown. */
  readonly show: boolean
}

/** What a rotation works with. */
type Work = RotateOptions & {
  readonly config: SelectedCluster
  readonly chosen: Secret | undefined
  readonly given: readonly Secret[]
  /** Whether the file gives a password for every host. */
  readonly alwaysGiven: boolean
  readonly hash: Hasher
}

const operationOf = ({ user }: Pick<RotateOptions, 'user'>): string => `users rotate ${user}`

/**
 * `muster users rotate`: a new password on every host whose file names the user. The state directory knows it before
 * any host does, and the old one until every host is proved; so at every moment each host takes one that is known.
 */
export async function rotate(options: RotateOptions): Promise<ExitCode> {
  const { context, yes, user, newPassword, lockWait, json } = options
  mustBeAbleToAsk(context, { yes, command: operationOf(options), look: 'users list' })
  const opened = await openCluster(options)
  const config = hostsThatName(opened.config, user)
  const chosen =
    newPassword === undefined ? undefined : await readNewPassword(context, { user, from: newPassword })
  const passwords = await readUserPasswords(context, { ...opened, config })
  const given = [...passwords.values()].flatMap((of) => of.get(user) ?? [])
  const alwaysGiven = given.length === config.hosts.length + config.left.length
  const work = { ...options, config, chosen, given, alwaysGiven, hash: createHasher() }
  // A refusal is told before any host is reached, and holds again once nobody else can change the state.
  const before = await readState({ directory: config.directory, cluster: config.cluster })
  chosenLogin(work, before?.state ?? emptyState)
  return withHosts({
    look: installedLook,
    ...{ context, config, json, lockWait },
    operation: operationOf(options),
    work: (survey, run) => rotateLocked(work, survey, run),
  })
}

/** What is to become of the password. Throws a `UsageError` where the file or the operator has to say more. */
function chosenLogin(
  { user, given, chosen }: Work,
  state: ClusterState,
): Exclude<ReturnType<typeof chooseNewPassword>, { kind: 'refuse' }> {
  const choice = chooseNewPassword(user, { known: state.users.get(user), given, chosen })
  if (choice.kind === 'refuse') throw new UsageError(choice.message, choice.fix)
  return choice
}

/** The user as the state is to know it from now on; `made` where a password was made. */
async function begun(
  work: Work,
  state: ClusterState,
): Promise<{
  readonly next: UserState
  readonly password: Secret
  readonly kind: 'go-on' | 'make' | 'take'
}> {
  const { context, user, given, hash } = work
  const choice = chosenLogin(work, state)
  const { kind } = choice
  if (kind === 'go-on') return { kind, next: choice.known, password: choice.password }
  const password = kind === 'make' ? makePassword(randomBytes) : choice.password
  const known = state.users.get(user) ?? { salt: randomBytes(saltBytes) }
  const options = { password, old: given, now: context.now(), random: randomBytes, hash }
  const next = await beginRotation(known, options)
  return { kind, next, password }
}

async function rotateLocked(work: Work, survey: Survey<InstalledFacts>, run: Run): Promise<ExitCode> {
  const { context, config, user, json, yes } = work
  if (context.signal.aborted) throw new Interrupted()
  if (survey.reached.length === 0) {
    return refuseHosts({ context, config, json, run, failed: lostOutcomes(survey), failures: 'told' })
  }
  const { cluster, directory, left } = config
  const place = { directory, cluster }
  const opened = await openState(place)
  for (const note of opened.notes) context.stderr.write(`note: ${note}\n`)
  const { next, password, kind } = await begun(work, opened.state)
  const hash = await work.hash(password, next.salt)
  const login: NewLogin = { user, password, hash, previous: next.pending ?? [] }
  const plans = survey.reached.map((surveyed) =>
    rotateHost({ cluster, surveyed, state: opened.state, login }),
  )
  if (!json) {
    const notes = kind === 'go-on' ? [`a rotation of ${user} is unfinished: this run continues it`] : []
    showPlan(context, { cluster, notes, plans, left: namesOf(left) })
  }
  const changes = plans.some(({ steps }) => steps.length > 0)
  if (changes && !(await agreed(context, { yes, question: 'Go on?', run }))) {
    context.stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  // A rotation that did not begin leaves nothing to go on with.
  if (context.signal.aborted) throw new Interrupted()
  const tell = await teller(work, run)
  let exit: ExitCode = exitCodes.ok
  const behind = await carryOutRotation({
    user,
    state: opened.state,
    next,
    given: work.alwaysGiven && work.given.every((one) => one.equals(password)),
    hosts: [...namesOf(config.hosts), ...namesOf(left)],
    save: (before, after) => saveState({ ...place, before, after }),
    run: async () => {
      if (kind === 'make') {
        if (work.show && !json) context.stdout.write(madePasswordText([{ user, password }], place))
        else tell(`the new password of ${user} was generated; it is stored in ${stateFolder(place)}`)
      }
      exit = await runSteps({ context, json, run, survey, work: plans })
      return provedHosts(run.recorder.record(exit))
    },
  })
  for (const line of rotatedText({ user, behind, given: work.given.some((one) => !one.equals(password)) }))
    tell(line)
  return exit
}

/** Tells a line: an event for programs, a line for people. */
async function teller({ context, config, json }: Work, run: Run): Promise<(message: string) => void> {
  const renderer = run.follow(await chooseRenderer({ context, json, hosts: namesOf(config.hosts) }))
  return json
    ? (message) => renderer.emit({ type: 'notice', message })
    : (message) => void context.stdout.write(`${message}\n`)
}
