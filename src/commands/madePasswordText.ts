import type { MadePassword } from '../deployment/desired/administrators.ts'
import { type StatePlace, stateFolder } from '../deployment/state/statePlace.ts'

/** The one place that shows passwords: those muster made, once, to the person who has to know them. */
export function madePasswordText(made: readonly MadePassword[], place: StatePlace): string {
  if (made.length === 0) return ''
  const lines = made.map(({ user, password }) => `  user ${user}  password ${password.reveal()}`)
  const said =
    made.length === 1
      ? 'A password was made now and is shown this once. It is kept in'
      : 'Passwords were made now and are shown this once. They are kept in'
  return `${said}\n${stateFolder(place)}/secrets.json\n${lines.join('\n')}\n\n`
}
