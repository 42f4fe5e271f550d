import { listOf, shortListOf } from '../../base/words.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { type ComponentUsers, differsInAccess, type HostUsers, type UserOnHost } from './hostUsers.ts'

/** Returns the position of a host in the file or, with a user, of the password that the file gives the user there. */
type PositionOf = (host: string, user?: string) => Span

/** Returns all findings about the users of all hosts. */
export const checkUsers = (hosts: readonly HostUsers[], at: PositionOf): readonly Diagnostic[] => [
  ...hosts.flatMap((one) => checkHost(one, at)),
  ...outdatedFindings(hosts, at),
  ...untestedLogins(hosts, at),
]

type UserFacts = { readonly host: string; readonly user: string }

const userHostUnreachable = finding('user-host-unreachable', (facts: { host: string; reason: string }) => ({
  message: `${facts.host} is unreachable: ${facts.reason}`,
  why: 'The users of this host are unknown.',
  fix: `Run muster check --host ${facts.host}; if the host is down on purpose, exclude it with --host.`,
}))

const userHostFailed = finding('user-host-failed', (facts: { host: string; reason: string }) => ({
  message: `${facts.host} could not be checked: ${facts.reason}`,
  why: 'The users of this host are unknown.',
  fix: `Run muster check --host ${facts.host}.`,
}))

const userNotInstalled = finding('user-not-installed', (facts: { host: string }) => ({
  message: `${facts.host} is in the file, but nothing is installed there.`,
  why: 'It has no users yet, so there is nothing to check.',
  fix: `Run muster install --host ${facts.host}, or exclude the host with --host.`,
}))

function checkHost({ host, state, detail: reason = '', users, components }: HostUsers, at: PositionOf) {
  const place = { host, span: at(host) }
  switch (state) {
    case 'unreachable':
      return [userHostUnreachable({ host, reason }, place)]
    case 'failed':
      return [userHostFailed({ host, reason }, place)]
    case 'not-installed':
      return [userNotInstalled({ host }, place)]
    case 'up':
      return [
        ...users.flatMap((user) => checkUser(user, place, at)),
        ...components.flatMap((component) => checkComponent(component, { place, users })),
      ]
  }
}

/** Host and its position in the file. */
type HostPosition = { readonly host: string; readonly span: Span }

const userMissing = finding('user-missing', (facts: UserFacts) => ({
  message: `The user ${facts.user} is missing on ${facts.host}.`,
  why: 'Logins as this user fail there.',
  fix: `Run muster users apply --host ${facts.host}; it restarts nothing.`,
}))

const userPasswordDiffers = finding('user-password-differs', (facts: UserFacts) => ({
  message: `The user ${facts.user} has a different password on ${facts.host}.`,
  why: 'It was changed without muster, or a run did not reach the host. muster does not try to log in: five failed logins lock a user out.',
  fix: `Run muster users apply --host ${facts.host} to set the known password.`,
}))

const userAccessDiffers = finding(
  'user-access-differs',
  (facts: UserFacts & { is: string; wanted: string }) => ({
    message: `The user ${facts.user} has the access level ${facts.is} on ${facts.host}; the file gives it ${facts.wanted}.`,
    why: 'It may do more or less there than the file says.',
    fix: `Run muster users apply --host ${facts.host} to set the level of the file; it restarts nothing.`,
  }),
)

const userExtra = finding('user-extra', (facts: UserFacts) => ({
  message: `The user ${facts.user} is on ${facts.host} but not in the file.`,
  why: 'Anyone with its password has the rights of its access level.',
  fix: `Add it to rest-api-users, or remove it: muster users apply --prune --host ${facts.host}`,
}))

function checkUser(one: UserOnHost, place: HostPosition, at: PositionOf): readonly Diagnostic[] {
  const { user, named, present, password, access: is = 'full', wantedAccess: wanted = 'full' } = one
  const facts = { host: place.host, user }
  if (!named) return [userExtra(facts, place)]
  if (!present) return [userMissing(facts, place)]
  const span = at(place.host, user)
  return [
    ...(password === 'another' ? [userPasswordDiffers(facts, { ...place, span })] : []),
    ...(differsInAccess(one) ? [userAccessDiffers({ ...facts, is, wanted }, { ...place, span })] : []),
  ]
}

const userComponentDiffers = finding(
  'user-component-differs',
  (facts: { host: string; component: string; lacks: readonly string[]; has: readonly string[] }) => ({
    message: `The ${facts.component} of ${facts.host} differs from its user file: it ${listOf([
      ...(facts.lacks.length === 0 ? [] : [`lacks ${shortListOf(facts.lacks)}`]),
      ...(facts.has.length === 0 ? [] : [`also has ${shortListOf(facts.has)}`]),
    ])}.`,
    why: 'All components of a host share one user file and load changes at once; this one did not.',
    fix: `Run muster logs --host ${facts.host} to see why; muster restart --host ${facts.host} --component ${facts.component} loads it again.`,
  }),
)

const userLoginRefused = finding(
  'user-login-refused',
  (facts: UserFacts & { component: string; where: string; response: string }) => ({
    message: `The ${facts.component} of ${facts.host} at ${facts.where} rejected the login of ${facts.user}: ${facts.response}`,
    why: 'The password matches its user file, but clients that use it are rejected.',
    fix: `Run muster logs --host ${facts.host}, and muster cert check --host ${facts.host} to check its certificate.`,
  }),
)

const userComponentSilent = finding(
  'user-component-silent',
  (facts: { host: string; component: string; reason: string }) => ({
    message: `The ${facts.component} of ${facts.host} did not list its users: ${facts.reason}`,
    why: 'The users that it accepts are unknown.',
    fix: `Run muster status and muster logs --host ${facts.host}.`,
  }),
)

function checkComponent(
  { component, where, names, detail: reason = '', logins }: ComponentUsers,
  { place, users }: { readonly place: HostPosition; readonly users: readonly UserOnHost[] },
): readonly Diagnostic[] {
  const { host } = place
  if (names === undefined) return [userComponentSilent({ host, component, reason }, place)]
  const present = users.filter((one) => one.present).map(({ user }) => user)
  const lacks = present.filter((user) => !names.includes(user))
  const has = names.filter((name) => !present.includes(name))
  const differs = lacks.length + has.length > 0
  const refused = [...logins].filter(([, said]) => said !== 'in')
  return [
    ...(differs ? [userComponentDiffers({ host, component, lacks, has }, place)] : []),
    ...refused.map(([user, said]) =>
      userLoginRefused({ host, component, where, user, response: said }, place),
    ),
  ]
}

const userPasswordReplaced = finding('user-password-replaced', (facts: { user: string; date: string }) => ({
  message: `The file still has the password of ${facts.user} that was replaced on ${facts.date}.`,
  why: 'muster install and muster users apply refuse to set the old password again.',
  fix: 'Put the new password in the source that the file names. Or remove the password from the file: the state directory has the new one.',
}))

/** Reports users whose replaced passwords are still in the file, each once per place. */
function outdatedFindings(hosts: readonly HostUsers[], at: PositionOf): readonly Diagnostic[] {
  const found = hosts.flatMap(({ host, users }) =>
    users.flatMap(({ user, replaced: date }) =>
      date === undefined ? [] : [{ user, date, span: at(host, user) }],
    ),
  )
  const each = new Map(found.map((one) => [JSON.stringify(one), one]))
  return [...each.values()].map(({ span, ...facts }) => userPasswordReplaced(facts, { span }))
}

type UntestedLogin = {
  readonly span: Span
  readonly hosts: string[]
  readonly hashes: Set<string | undefined>
}

const userUntried = finding(
  'user-untried',
  (facts: {
    readonly user: string
    readonly hosts: readonly string[]
    /** The hosts have different hashes of the password. */
    readonly differ: boolean
  }) => ({
    message: `Skipped the login as ${facts.user} on ${shortListOf(facts.hosts, 8)}: the password is unknown${facts.differ ? ' and may differ between these hosts' : ''}.`,
    why: 'Only a login verifies a password, and failed logins lock a user out.',
    fix: 'Set its password in the file, or generate one: muster users apply --generate',
  }),
)

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
    userUntried({ user, hosts: one.hosts, differ: one.hashes.size > 1 }, { span: one.span }),
  )
}
