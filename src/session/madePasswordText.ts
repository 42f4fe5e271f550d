import type { MadePassword } from '../deployment/desired/administrators.ts'
import { type StatePlace, stateFolder } from '../deployment/state/statePlace.ts'

/** The one place that shows passwords: those muster made, once, to the person who has to know them. */
export function madePasswordText(made: readonly MadePassword[], place: StatePlace): string {
  if (made.length === 0) return ''
  const lines = made.map(({ user, password }) => `  user ${user}  password ${password.reveal()}`)
  const said =
    made.length === 1
      ? 'A password was generated and is shown only once. It is stored in'
      : 'Passwords were generated and are shown only once. They are stored in'
  return `${said}\n${stateFolder(place)}/secrets.json\n${lines.join('\n')}\n\n`
}
