import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { type ComponentUsers, differsInAccess, type HostUsers, type UserOnHost } from './hostUsers.ts'

/** Returns the position of a host in the file or, with a user, of the password that the file gives the user there. */
type PositionOf = (host: string, user?: string) => Span

/** Returns all findings about the users of all hosts. */
export const checkUsers = (hosts: readonly HostUsers[], at: PositionOf): readonly Diagnostic[] => [
  ...hosts.flatMap((one) => checkHost(one, at)),
  ...outdatedFindings(hosts, at),
  ...untestedLogins(hosts, at),
]

function checkHost({ host, state, detail: reason = '', users, components }: HostUsers, at: PositionOf) {
  const place = { host, span: at(host) }
  switch (state) {
    case 'unreachable':
      return [diagnose('user-host-unreachable', { host, reason }, place)]
    case 'failed':
      return [diagnose('user-host-failed', { host, reason }, place)]
    case 'not-installed':
      return [diagnose('user-not-installed', { host }, place)]
    case 'up':
      return [
        ...users.flatMap((user) => checkUser(user, place, at)),
        ...components.flatMap((component) => checkComponent(component, { place, users })),
      ]
  }
}

/** Host and its position in the file. */
type HostPosition = { readonly host: string; readonly span: Span }

function checkUser(one: UserOnHost, place: HostPosition, at: PositionOf): readonly Diagnostic[] {
  const { user, named, present, password, access: is = 'full', wantedAccess: wanted = 'full' } = one
  const facts = { host: place.host, user }
  if (!named) return [diagnose('user-extra', facts, place)]
  if (!present) return [diagnose('user-missing', facts, place)]
  const span = at(place.host, user)
  return [
    ...(password === 'another' ? [diagnose('user-password-differs', facts, { ...place, span })] : []),
    ...(differsInAccess(one)
      ? [diagnose('user-access-differs', { ...facts, is, wanted }, { ...place, span })]
      : []),
  ]
}

function checkComponent(
  { component, where, names, detail: reason = '', logins }: ComponentUsers,
  { place, users }: { readonly place: HostPosition; readonly users: readonly UserOnHost[] },
): readonly Diagnostic[] {
  const { host } = place
  if (names === undefined) return [diagnose('user-component-silent', { host, component, reason }, place)]
  const present = users.filter((one) => one.present).map(({ user }) => user)
  const lacks = present.filter((user) => !names.includes(user))
  const has = names.filter((name) => !present.includes(name))
  const differs = lacks.length + has.length > 0
  const refused = [...logins].filter(([, said]) => said !== 'in')
  return [
    ...(differs ? [diagnose('user-component-differs', { host, component, lacks, has }, place)] : []),
    ...refused.map(([user, said]) =>
      diagnose('user-login-refused', { host, component, where, user, response: said }, place),
    ),
  ]
}

/** Reports users whose replaced passwords are still in the file, each once per place. */
function outdatedFindings(hosts: readonly HostUsers[], at: PositionOf): readonly Diagnostic[] {
  const found = hosts.flatMap(({ host, users }) =>
    users.flatMap(({ user, replaced: date }) =>
      date === undefined ? [] : [{ user, date, span: at(host, user) }],
    ),
  )
  const each = new Map(found.map((one) => [JSON.stringify(one), one]))
  return [...each.values()].map(({ span, ...facts }) => diagnose('user-password-replaced', facts, { span }))
}

type UntestedLogin = {
  readonly span: Span
  readonly hosts: string[]
  readonly hashes: Set<string | undefined>
}

/** Reports users whose logins could not be tried because their passwords are unknown here, each once for all hosts. */
function untestedLogins(hosts: readonly HostUsers[], at: PositionOf): readonly Diagnostic[] {
  const found = new Map<string, UntestedLogin>()
  for (const { host, users } of hosts) {
    for (const { user, named, password, hash } of users) {
      if (!named || password !== 'unknown') continue
      const one = found.get(user) ?? { span: at(host, user), hosts: [], hashes: new Set() }
      one.hosts.push(host)
      one.hashes.add(hash)
      found.set(user, one)
    }
  }
  return [...found].map(([user, one]) =>
    diagnose('user-untried', { user, hosts: one.hosts, differ: one.hashes.size > 1 }, { span: one.span }),
  )
}
