import type { MadePassword } from '../deployment/desired/administrators.ts'
import { type StatePlace, stateFolder } from '../deployment/state/statePlace.ts'

/** The one place that shows passwords: those muster made, once, to the person who has to know them. */
export function madePasswordText(made: readonly MadePassword[], place: StatePlace): string {
  if (made.length === 0) return ''
  const lines = made.map(({ user, password }) => `  user ${user}  password ${password.reveal()}`)
  return `\nThe administrator's password was made now and is shown this once; ${stateFolder(place)} keeps it:\n${lines.join('\n')}\n`
}
