import type { CommandContext } from '../cli/context.ts'
import type { GeneratedPassword } from '../deployment/desired/administrators.ts'
import { type StatePlace, stateFolder } from '../deployment/state/statePlace.ts'
import { report, type Session } from './session.ts'

/**
 * Reports the passwords that a run generated. Call it before hosts are touched: after a run that was killed, they are
 * printed nowhere else.
 */
export const reportGeneratedPasswords = (session: Session, made: readonly GeneratedPassword[]): void =>
  showGeneratedPasswords(made, {
    ...session,
    place: session.config,
    note: (message) => report(session, message),
  })

/**
 * Shows generated passwords to the person who has to know them. A log and a program are no place for a password: there
 * `note` says where each is stored.
 */
export function showGeneratedPasswords(
  made: readonly GeneratedPassword[],
  to: {
    readonly context: CommandContext
    /** Set for output that programs read. */
    readonly json?: boolean
    readonly place: StatePlace
    readonly note: (message: string) => void
  },
): void {
  const { context, json = false, place, note } = to
  if (!json && !isLogged(context)) context.stdout.write(generatedPasswordsText(made, place))
  else for (const { user } of made) note(storedPasswordText(`the password of ${user}`, place))
}

/** Returns true where the output is kept for others to read: in a CI job, which sets CI, and with --quiet. */
const isLogged = ({ env, verbosity }: Pick<CommandContext, 'env' | 'verbosity'>): boolean =>
  verbosity === 'quiet' || Boolean(env.CI)

/** Says where a generated password is stored. */
export const storedPasswordText = (what: string, place: StatePlace): string =>
  `${what} was generated; it is stored in ${stateFolder(place)}`

/** The one place that shows passwords: those muster made, once, to the person who has to know them. */
export function generatedPasswordsText(made: readonly GeneratedPassword[], place: StatePlace): string {
  if (made.length === 0) return ''
  const lines = made.map(({ user, password }) => `  user ${user}  password ${password.reveal()}`)
  const said =
    made.length === 1
      ? 'A password was generated and is shown only once. It is stored in'
      : 'Passwords were generated and are shown only once. They are stored in'
  return `${said}\n${stateFolder(place)}/secrets.json\n${lines.join('\n')}\n\n`
}
