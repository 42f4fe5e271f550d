import type { CommandContext } from '../cli/context.ts'
import type { GeneratedPassword } from '../deployment/desired/administrators.ts'
import { type StatePlace, stateFolder } from '../deployment/state/statePlace.ts'
import { report, type Session } from './session.ts'

/**
 * Reports the passwords that a run generated. Call it before hosts are touched: after a run that was killed, they are
 * printed nowhere else. A log is no place for a password: there it says where they are stored.
 */
export function reportGeneratedPasswords(session: Session, made: readonly GeneratedPassword[]): void {
  const { context, config, json } = session
  if (!json && !isLogged(context)) context.stdout.write(generatedPasswordsText(made, config))
  else for (const { user } of made) report(session, storedPasswordText(`the password of ${user}`, config))
}

/** Returns true where the output is kept for others to read: in a CI job, which sets CI, and with --quiet. */
export const isLogged = ({ env, verbosity }: Pick<CommandContext, 'env' | 'verbosity'>): boolean =>
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
