import { randomBytes } from 'node:crypto'
import { type Hasher, hasherOf, saltBytes } from '../../accounts/passwordHash.ts'
import { generatePassword } from '../../certificates/password.ts'
import { requireConfirmation } from '../../cli/ask.ts'
import type { Define } from '../../cli/command.ts'
import type { CommandContext } from '../../cli/context.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { Interrupted } from '../../cli/interrupted.ts'
import { readPassword } from '../../cli/readPassword.ts'
import { UsageError } from '../../cli/usageError.ts'
import { passwordWeakness } from '../../config/passwordFinding.ts'
import { passwordProblems } from '../../contracts/credentialRules.ts'
import type { InstalledFacts } from '../../deployment/facts/hostFacts.ts'
import { type ClusterState, emptyState, type UserState } from '../../deployment/state/clusterState.ts'
import { readState, saveState } from '../../deployment/state/openState.ts'
import { beginRotation, chooseNewPassword } from '../../deployment/state/passwordRotation.ts'
import { installedFactsOnly } from '../../deployment/survey.ts'
import { type NewLogin, rotateHost, runRotation } from '../../deployment/users/rotateHost.ts'
import { passwordRotationNotes } from '../../output/deployment/usersText.ts'
import type { Secret } from '../../secrets/secret.ts'
import { runOnFiles } from '../../session/clusterOptions.ts'
import { generatedPasswordsText, storedPasswordText } from '../../session/generatedPasswords.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { readUserPasswords } from '../../session/resolveSecrets.ts'
import { changeFlags, changeOptions } from '../../session/runOptions.ts'
import { type RunPlan, runPlan } from '../../session/runPlan.ts'
import { namesOf } from '../../session/selectTargets.ts'
import { openStateToChange, report, type SurveyedSession } from '../../session/session.ts'
import { withHosts } from '../../session/withHosts.ts'
import { hostsThatName, userArgument, userGiven } from './namedUsers.ts'

export const usersRotateCommand: Define = (made, world) =>
  runOnFiles(
    changeOptions(userArgument(made))
      .option('--new-password <file>', 'file with the new password, - for standard input (default: generate)')
      .option('--no-show', 'do not show a generated password'),
    world,
    async (options) => {
      const { newPassword, show } = made.opts<{ newPassword?: string; show: boolean }>()
      return rotate({ ...userGiven(options), ...changeFlags(made), newPassword, show })
    },
  )

/** Reads the password of --new-password from a file, or from standard input for `-`. Throws a `UsageError`. */
export async function readNewPassword(
  context: CommandContext,
  { user, from }: { readonly user: string; readonly from: string },
): Promise<Secret> {
  const password = await readPassword({
    context,
    what: `the new password of ${user}`,
    options: { file: '--new-password', stdin: '--new-password -', variable: 'MUSTER_NEW_PASSWORD' },
    ...(from === '-' ? { stdin: true } : { file: from }),
    twice: true,
  })
  const fix = 'Choose another one: at least 12 characters at random.'
  const problems = passwordProblems(password.reveal())
  if (problems.length > 0) throw new UsageError(`The new password ${problems.join(', and ')}.`, fix)
  const weakness = passwordWeakness(password.reveal(), user)
  if (weakness === undefined) return password
  if (weakness.known) throw new UsageError(`The new password is ${weakness.reason}.`, fix)
  context.stderr.write(`warning: the new password ${weakness.reason}\n  fix: ${fix}\n`)
  return password
}

export type RotateOptions = ClusterOptions & {
  readonly user: string
  readonly yes: boolean
  readonly json: boolean
  readonly lockWait: number
  /** File with the new password, or `-` for standard input; absent: one is made, or a rotation goes on. */
  readonly newPassword: string | undefined
  /** Shows a generated password. */
  readonly show: boolean
}

/** Input of the decision beside the facts of the hosts. */
type Known = {
  readonly user: string
  readonly show: boolean
  readonly chosen: Secret | undefined
  readonly given: readonly Secret[]
  /** True if the file gives a password for every host. */
  readonly alwaysGiven: boolean
  readonly hash: Hasher
}

/**
 * Changes the password of a user on every host that names the user. The state directory saves the new one before any
 * host has it, and keeps the old one until every host is verified, so that each host takes a known one at any time.
 */
export async function rotate(options: RotateOptions): Promise<ExitCode> {
  const { context, yes, user, show, newPassword } = options
  const operation = `users rotate ${user}`
  const opened = await openCluster(options)
  const config = hostsThatName(opened.config, user)
  requireConfirmation(context, { yes, command: operation, previewCommand: 'users list' })
  const chosen =
    newPassword === undefined ? undefined : await readNewPassword(context, { user, from: newPassword })
  const passwords = await readUserPasswords(context, { ...opened, config })
  const given = [...passwords.values()].flatMap((of) => of.get(user) ?? [])
  const alwaysGiven = given.length === config.hosts.length + config.excluded.length
  const known = { user, show, chosen, given, alwaysGiven, hash: hasherOf(context.env) }
  // Refuses before any host is reached; decided again while the state is locked.
  chosenLogin(known, (await readState(config))?.state ?? emptyState)
  return withHosts({
    ...options,
    config,
    operation,
    // All hosts get the same password, whichever are chosen.
    locksCluster: true,
    scope: installedFactsOnly,
    requires: 'one',
    work: async (session) => runPlan(session, await decide(session, known)),
  })
}

/** Chooses the new password. Throws a `UsageError` where the file or the operator must say more. */
function chosenLogin(
  { user, given, chosen }: Known,
  state: ClusterState,
): Exclude<ReturnType<typeof chooseNewPassword>, { kind: 'refuse' }> {
  const choice = chooseNewPassword(user, { known: state.users.get(user), given, chosen })
  if (choice.kind === 'refuse') throw new UsageError(choice.message, choice.fix)
  return choice
}

/** Returns the next state of the user and the new password. */
async function beginOrContinue(
  known: Known,
  { state, now }: { readonly state: ClusterState; readonly now: Date },
): Promise<{
  readonly next: UserState
  readonly password: Secret
  readonly kind: 'continue' | 'generate' | 'use'
}> {
  const { user, given, hash } = known
  const choice = chosenLogin(known, state)
  const { kind } = choice
  if (kind === 'continue') return { kind, next: choice.known, password: choice.password }
  const password = kind === 'generate' ? generatePassword(randomBytes) : choice.password
  const before = state.users.get(user) ?? { salt: randomBytes(saltBytes) }
  const next = await beginRotation(before, { password, old: given, now, random: randomBytes, hash })
  return { kind, next, password }
}

/** Decides on the new password and plans every host that was reached. */
async function decide(session: SurveyedSession<InstalledFacts>, known: Known): Promise<RunPlan> {
  const { context, config, survey, json } = session
  const { user, given, alwaysGiven, show } = known
  const { cluster } = config
  const state = await openStateToChange(context, config)
  const { next, password, kind } = await beginOrContinue(known, { state, now: context.now() })
  const hash = await known.hash(password, next.salt)
  const login: NewLogin = { user, password, hash, previous: next.pending ?? [] }
  const reportPassword = (): void => {
    if (kind !== 'generate') return
    if (show && !json) context.stdout.write(generatedPasswordsText([{ user, password }], config))
    else report(session, storedPasswordText(`the new password of ${user}`, config))
  }
  return {
    work: survey.reached.map((surveyed) => rotateHost({ cluster, surveyed, state, login })),
    notes: kind === 'continue' ? [`a rotation of ${user} is unfinished: this run continues it`] : [],
    executeAndSave: async (execute) => {
      // A rotation that did not begin leaves nothing to continue.
      if (context.signal.aborted) throw new Interrupted()
      let exit: ExitCode = exitCodes.ok
      const behind = await runRotation({
        user,
        state,
        next,
        given: alwaysGiven && given.every((one) => one.equals(password)),
        hosts: namesOf([...config.hosts, ...config.excluded]),
        save: (before, after) => saveState({ ...config, before, after }),
        run: async () => {
          reportPassword()
          const executed = await execute()
          exit = executed.exit
          return executed.verified
        },
      })
      const lines = passwordRotationNotes({ user, behind, given: given.some((one) => !one.equals(password)) })
      for (const line of lines) report(session, line)
      return exit
    },
  }
}
