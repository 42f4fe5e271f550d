import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import type { ComponentUsers, HostUsers, UserOnHost } from './hostUsers.ts'

/** Where a finding about a host stands in the file, and one about none of them. */
type At = (host: string | undefined) => Span

/** Judges the users of all hosts, every finding at once; `at` tells where a host stands in the file. */
export const judgeUsers = (hosts: readonly HostUsers[], at: At): readonly Diagnostic[] => [
  ...hosts.flatMap((one) => judgeHost(one, at(one.host))),
  ...stillGiven(hosts, at(undefined)),
  ...untried(hosts, at(undefined)),
]

function judgeHost({ host, state, detail: reason = '', users, components }: HostUsers, span: Span) {
  const place = { host, span }
  switch (state) {
    case 'unreachable':
      return [diagnose('user-host-unreachable', { host, reason }, place)]
    case 'failed':
      return [diagnose('user-host-failed', { host, reason }, place)]
    case 'not-installed':
      return [diagnose('user-not-installed', { host }, place)]
    case 'up':
      return [
        ...users.flatMap((user) => judgeUser(user, place)),
        ...components.flatMap((component) => judgeComponent(component, { place, users })),
      ]
  }
}

/** A host, and where it stands. */
type Place = { readonly host: string; readonly span: Span }

function judgeUser({ user, named, present, password }: UserOnHost, place: Place): readonly Diagnostic[] {
  const facts = { host: place.host, user }
  if (!named) return [diagnose('user-extra', facts, place)]
  if (!present) return [diagnose('user-missing', facts, place)]
  return password === 'another' ? [diagnose('user-password-differs', facts, place)] : []
}

function judgeComponent(
  { component, where, names, detail: reason = '', logins }: ComponentUsers,
  { place, users }: { readonly place: Place; readonly users: readonly UserOnHost[] },
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
      diagnose('user-login-refused', { host, component, where, user, said }, place),
    ),
  ]
}

/** The users whose replaced passwords the file still gives, each once for all hosts. */
function stillGiven(hosts: readonly HostUsers[], span: Span): readonly Diagnostic[] {
  const found = hosts.flatMap(({ users }) =>
    users.flatMap(({ user, replaced }) => (replaced === undefined ? [] : [{ user, date: replaced }])),
  )
  const each = new Map(found.map(({ user, date }) => [user, date]))
  return [...each].map(([user, date]) => diagnose('user-password-replaced', { user, date }, { span }))
}

/** The users whose logins nobody could try, since their passwords are not known here, each once for all hosts. */
function untried(hosts: readonly HostUsers[], span: Span): readonly Diagnostic[] {
  const found = new Map<string, { readonly hosts: string[]; readonly hashes: Set<string | undefined> }>()
  for (const { host, users } of hosts) {
    for (const { user, named, password, hash } of users) {
      if (!named || password !== 'unknown') continue
      const one = found.get(user) ?? { hosts: [], hashes: new Set() }
      one.hosts.push(host)
      one.hashes.add(hash)
      found.set(user, one)
    }
  }
  return [...found].map(([user, one]) =>
    diagnose('user-untried', { user, hosts: one.hosts, differ: one.hashes.size > 1 }, { span }),
  )
}
