import { jsonText } from '../../base/json.ts'
import { printable } from '../../base/printable.ts'
import { counted, shortListOf } from '../../base/words.ts'
import { wrap } from '../../base/wrapping.ts'
import {
  type ComponentUsers,
  componentsOf,
  describeDifferences,
  differsInAccess,
  type HostUsers,
  type UserOnHost,
  userDifferences,
} from '../../deployment/users/hostUsers.ts'
import { type Tint, tableLines } from '../table.ts'

/** Lists all login attempts with their results. */
export const loginsOf = (hosts: readonly HostUsers[]) =>
  hosts.flatMap(({ host, components }) =>
    components.flatMap(({ component, logins }) =>
      [...logins].map(([user, said]) => ({ host, component, user, in: said === 'in' })),
    ),
  )

/** Writes the last line of a verification: checked logins, and the comparison with the file. */
export function loginSummary({
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

/**
 * Lists notes after a password rotation: hosts that may still have the old password, how to fix them, and
 * where to enter the new one; may be empty.
 */
export function passwordRotationNotes(options: {
  readonly user: string
  /** Hosts whose new password is not verified. */
  readonly behind: readonly string[]
  /** The file has a source for the password. */
  readonly given: boolean
}): readonly string[] {
  const { user, behind, given } = options
  const them = behind.length === 1 ? 'it is' : 'they are'
  return [
    ...(behind.length === 0
      ? []
      : [
          `${shortListOf(behind, 8)} may still have the old password of ${user}; both are kept until ${them} verified to have the new one. Run \`muster users rotate ${user}\`, \`muster users apply\` or \`muster install\` to finish.`,
        ]),
    ...(given
      ? [
          `Put the new password where the file reads it. Until then, \`muster install\` and \`muster users apply\` refuse.`,
        ]
      : []),
  ]
}

type Component = ComponentUsers['component']

type Cell = { readonly text: string; readonly tint?: Tint }

const passwords = {
  known: { text: 'matches' },
  another: { text: 'different', tint: 'red' },
  unknown: { text: 'unknown', tint: 'yellow' },
  unread: { text: 'not compared' },
} as const

/** Writes one row per host and user, then differences between hosts, then failures. */
export function usersText(shown: {
  readonly hosts: readonly HostUsers[]
  readonly colour: boolean
  /** Columns of the terminal. */
  readonly width: number
}): string {
  const { hosts, colour, width } = shown
  const used = componentsOf(hosts)
  const table = tableLines({
    titles: ['HOST', 'USER', 'FILE', 'ACCESS', 'PASSWORD', ...used.map((name) => name.toUpperCase())],
    rows: hosts.flatMap((host) => rowsOf(host, used)),
    colour,
    width,
  })
  const wrapped = (text: string): readonly string[] => wrap(printable(text), { width, first: '', rest: '  ' })
  const parts = [
    table,
    describeDifferences(userDifferences(hosts)).flatMap(wrapped),
    hosts.flatMap(reasons).flatMap(wrapped),
  ]
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n')}\n`
}

/** Writes the users as JSON, without hashes, which are sensitive. */
export function usersJson(cluster: string, hosts: readonly HostUsers[]): string {
  const told = hosts.map(({ host, state, detail, users, components: asked }) => ({
    host,
    state,
    ...(detail === undefined ? {} : { detail }),
    users: users.map(({ user, named, present, access, wantedAccess, password }) => ({
      user,
      named,
      present,
      ...(access === undefined ? {} : { access }),
      ...(wantedAccess === undefined ? {} : { wantedAccess }),
      ...(password === undefined ? {} : { password }),
    })),
    components: asked.map(({ component, names, detail: why }) => ({
      component,
      ...(names === undefined ? { detail: why } : { users: names }),
    })),
  }))
  return jsonText({ cluster, hosts: told, differences: userDifferences(hosts) })
}

function rowsOf(host: HostUsers, used: readonly Component[]): readonly (readonly Cell[])[] {
  const name = { text: host.host }
  if (host.state !== 'up') {
    const tint = host.state === 'not-installed' ? 'yellow' : 'red'
    return [[name, { text: host.state.replace('-', ' '), tint }]]
  }
  if (host.users.length === 0) return [[name, { text: 'no users', tint: 'red' }]]
  return host.users.map((user) => [
    name,
    { text: printable(user.user) },
    user.named ? { text: 'yes' } : { text: 'no', tint: 'yellow' },
    accessCell(user),
    user.password === undefined ? { text: 'missing', tint: 'red' } : passwords[user.password],
    ...used.map((component) => cellOf(host, component, user)),
  ])
}

/** The level that the host has, with the one in the file where they differ. */
function accessCell(user: UserOnHost): Cell {
  const { access, wantedAccess = '' } = user
  if (access === undefined) return { text: '-' }
  return differsInAccess(user) ? { text: `${access}, not ${wantedAccess}`, tint: 'red' } : { text: access }
}

function cellOf({ components: asked }: HostUsers, name: Component, { user }: UserOnHost): Cell {
  const one = asked.find(({ component }) => component === name)
  if (one === undefined) return { text: '-' }
  if (one.names === undefined) return { text: 'silent', tint: 'red' }
  return one.names.includes(user) ? { text: 'yes', tint: 'green' } : { text: 'no', tint: 'red' }
}

const reasons = ({ host, detail, components: asked }: HostUsers): readonly string[] => [
  ...(detail === undefined ? [] : [`${host}: ${detail}`]),
  ...asked.flatMap((one) => (one.detail === undefined ? [] : [`${host}: ${one.component}: ${one.detail}`])),
]
