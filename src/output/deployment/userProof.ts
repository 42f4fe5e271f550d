import { printable } from '../../base/printable.ts'
import { counted, shortListOf } from '../../base/words.ts'
import { wrap } from '../../base/wrapping.ts'
import type { HostUsers } from '../../deployment/users/hostUsers.ts'

/** Lists all login attempts with their results. */
export const loginsOf = (hosts: readonly HostUsers[]) =>
  hosts.flatMap(({ host, components }) =>
    components.flatMap(({ component, logins }) =>
      [...logins].map(([user, said]) => ({ host, component, user, in: said === 'in' })),
    ),
  )

/** Writes the last line of a verification: checked logins, and the comparison with the file. */
export function proofText({
  good,
  silenced,
  cluster,
  hosts,
  width,
}: {
  readonly good: boolean
  readonly silenced: number
  readonly cluster: string
  readonly hosts: readonly HostUsers[]
  /** Columns of the terminal. */
  readonly width: number
}): string {
  const entered = loginsOf(hosts).filter((login) => login.in)
  const apis = new Set(entered.map(({ host, component }) => `${host} ${component}`)).size
  const users = [...new Set(entered.map(({ user }) => user))]
  const proved =
    users.length === 0
      ? 'no login could be verified'
      : `${counted(entered.length, 'login')} verified on ${counted(apis, 'API')}: ${shortListOf(users, 8)}`
  const quiet = good && silenced > 0 ? ` (${silenced} silenced)` : ''
  const text = good
    ? `The users of ${cluster} match the file: ${proved}${quiet}.`
    : `${proved.replace(/^n/, 'N')}.`
  return wrap(printable(text), { width, first: '', rest: '' }).join('\n')
}
