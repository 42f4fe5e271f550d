import { printable } from '../../base/printable.ts'
import { listOf, shortListOf } from '../../base/words.ts'
import type { AdoptedUsers } from '../../deployment/certificates/adoptHosts.ts'
import type { AuthorityRetirement } from '../../deployment/certificates/authorityRotation.ts'
import type { Rotation } from '../../deployment/state/clusterState.ts'

/** Makes names of outside authorities printable, since they may contain anything. */
const namesOf = (authorities: readonly string[]): string => listOf(authorities.map(printable))

const are = (some: readonly unknown[]): string => (some.length === 1 ? 'is' : 'are')

/**
 * Lists the effects of a run that replaces outside authorities, one line each; `file` holds the authorities
 * that clients must trust.
 */
export function outsideSwitchText(leaving: AuthorityRetirement, file: string): readonly string[] {
  const { hosts, dropped, retained } = leaving
  if (hosts.length === 0) return ['no selected host has a certificate of an external authority']
  const authorities = [...dropped, ...retained.map(({ authority }) => authority)]
  const all = namesOf(authorities)
  const [get, certificates] = hosts.length === 1 ? ['gets', 'a certificate'] : ['get', 'certificates']
  const first = `${shortListOf(hosts, 8)} ${get} ${certificates} of the cluster's own authority; ${all} ${are(authorities)} still trusted`
  return [
    dropped.length === 0 ? first : `phase 1 of 2: ${first}`,
    ...(dropped.length === 0 ? [] : [`then ${droppedAuthoritiesText(dropped)}`]),
    ...retained.map(
      ({ authority, hosts: others }) =>
        `${printable(authority)} stays trusted: ${shortListOf(others, 8)} ${others.length === 1 ? 'has a certificate' : 'have certificates'} from it`,
    ),
    `other clients that trust only ${all} must trust ${file} first`,
  ]
}

/** Describes the second phase. */
export const droppedAuthoritiesText = (dropped: readonly string[]): string =>
  `phase 2 of 2: the hosts stop trusting ${namesOf(dropped)}`

/** Describes a run that ended before every host's new certificate was verified. */
export function outsideSwitchStoppedText(hosts: readonly string[]): string {
  const [their, has] = hosts.length === 1 ? ['its certificate', 'has'] : ['their certificates', 'have']
  return hosts.length === 0
    ? "Every host has a certificate of the cluster's own authority; the external authority is still trusted. Run the same command again to remove it."
    : `${shortListOf(hosts, 8)} ${has} no verified new certificate: the state directory keeps ${their} of the external authority. Run the same command again to continue.`
}

/**
 * Reports that all chosen hosts use certificates of the cluster's authority. `left` were not chosen and keep
 * their truststores.
 */
export function outsideSwitchDoneText(
  { hosts, dropped }: AuthorityRetirement,
  left: readonly string[],
): string {
  const shown = `${shortListOf(hosts, 8)} ${hosts.length === 1 ? 'serves a certificate' : 'serve certificates'} of the cluster's own authority, which install renews from now on.`
  if (dropped.length === 0 || left.length === 0) return shown
  return `${shown} ${shortListOf(left, 8)} ${left.length === 1 ? 'trusts' : 'trust'} ${namesOf(dropped)} until the next muster install.`
}

const phases: Readonly<Record<Rotation['phase'], string>> = {
  trust: 'every host also trusts the new authority; the old one still signs',
  move: 'hosts get certificates of the new authority, one by one; both are trusted',
  drop: 'hosts stop trusting the old authority',
}

const names: readonly Rotation['phase'][] = ['trust', 'move', 'drop']

const numbered = (phase: Rotation['phase']): string => `phase ${names.indexOf(phase) + 1} of ${names.length}`

/** Describes a phase of a rotation on one line. */
export const phaseText = (phase: Rotation['phase']): string => `${numbered(phase)}: ${phases[phase]}`

/** Describes the later phases of a rotation, one line each. */
export const laterPhasesText = (phase: Rotation['phase']): readonly string[] =>
  names.slice(names.indexOf(phase) + 1).map((one) => `then ${phaseText(one)}`)

/**
 * Explains what other clients need and when, one line each; `file` holds the authorities. With `trustOnly`
 * the run ends after the first phase.
 */
export function clientsText(
  phase: Rotation['phase'],
  { file, trustOnly }: { readonly file: string; readonly trustOnly: boolean },
): readonly string[] {
  if (phase === 'drop')
    return [`other clients must already trust the new authority: ${file} has its certificate`]
  if (phase === 'move')
    return [`other clients must trust the new authority first: ${file} has its certificate`]
  const need = `other clients need the new authority's certificate before phase 2; phase 1 adds it to ${file}`
  return trustOnly
    ? [need, 'this run ends after phase 1 (--trust-only)']
    : [
        need,
        'to give it to them first, answer no and use --trust-only: the run then ends when every host trusts both',
      ]
}

/**
 * Describes an interrupted rotation: hosts that have not reached the phase, and that both authorities stay
 * valid.
 */
export function rotationStoppedText(phase: Rotation['phase'], hosts: readonly string[]): string {
  const missing =
    hosts.length === 0
      ? ''
      : ` ${shortListOf(hosts, 8)} ${hosts.length === 1 ? 'has' : 'have'} not reached it yet.`
  const trusted =
    phase === 'drop'
      ? 'Every host serves a certificate of the new authority.'
      : 'The old authority is still trusted everywhere.'
  return `The rotation stopped in ${numbered(phase)}.${missing} ${trusted} Run the same command again to continue.`
}

/** Describes a pause: both authorities are trusted, so that other clients can get the new one. */
export const rotationPausedText = (file: string): string =>
  `Every host trusts both authorities. ${file} contains both: give it to the other clients, then run this again without --trust-only.`

/** Describes the end of a rotation. */
export const rotationDoneText = (file: string): string =>
  `No host trusts the old authority any more. Other clients need ${file}.`

const lostPhases: Readonly<Record<Rotation['phase'], string>> = {
  ...phases,
  trust: 'every host also trusts the new authority; certificates stay as they are',
  drop: 'hosts stop trusting the lost authority',
}

/** Describes a phase of the replacement of a lost authority on one line. */
export const lostPhaseText = (phase: Rotation['phase']): string => `${numbered(phase)}: ${lostPhases[phase]}`

/** Describes the phases of a run, and what other clients need and when, one line each. */
export function lostPhasesText(
  [first, ...later]: readonly Rotation['phase'][],
  { file, trustOnly }: { readonly file: string; readonly trustOnly: boolean },
): readonly string[] {
  if (first !== 'trust') return ['no host has a certificate of an authority whose key is lost']
  return [
    lostPhaseText(first),
    ...(trustOnly ? [] : later.map((phase) => `then ${lostPhaseText(phase)}`)),
    `other clients need the new authority's certificate before phase 2; phase 1 writes it to ${file}`,
    trustOnly
      ? 'this run ends after phase 1 (--trust-only)'
      : 'to give it to them first, answer no and add --trust-only: the run then ends when every host trusts both',
  ]
}

/** Lists what is adopted from the hosts, and the passwords that nobody can know, one line each. */
export function adoptionText(
  cluster: string,
  found: { readonly made: boolean; readonly adopted: readonly string[]; readonly users: AdoptedUsers },
): readonly string[] {
  const { made, adopted } = found
  const { adopted: users, unknown, differing, others } = found.users
  return [
    ...(made ? [`make a certificate authority of ${cluster} in place of the lost one`] : []),
    ...(adopted.length > 0
      ? [`adopt ${shortListOf(adopted, 8)} as installed: machines, keys and certificates`]
      : []),
    ...(users.length > 0
      ? [`adopt the ${users.length === 1 ? 'user' : 'users'} ${listOf(users)}: no login changes`]
      : []),
    ...unknown.map(
      (user) =>
        `the password of ${user} is unknown, since the file does not give it: it stays valid, and muster users rotate ${user} makes a new one`,
    ),
    ...differing.map(
      ({ user, hosts }) =>
        `the password of ${user} in the file is not the one on ${shortListOf(hosts, 8)}: the next muster install sets it there`,
    ),
    ...(others.length > 0
      ? [
          `not in the file, and left alone with ${others.length === 1 ? 'its password' : 'their passwords'}: ${shortListOf(others.map(printable), 8)}`,
        ]
      : []),
  ]
}

/** Describes an interrupted replacement of a lost authority; `hosts` have certificates of it. */
export function lostStoppedText(phase: Rotation['phase'], hosts: readonly string[]): string {
  const left =
    hosts.length === 0
      ? ''
      : ` ${shortListOf(hosts, 8)} ${hosts.length === 1 ? 'has a certificate' : 'have certificates'} of the lost authority, which is still trusted.`
  return `The replacement stopped in ${numbered(phase)}.${left} Run the same command again to continue.`
}

/** Describes a pause in which every host trusts the lost and the new authority. */
export const lostPausedText = (file: string): string =>
  `Every host trusts the lost and the new authority. Add ${file} to what other clients trust, then run this again without --trust-only.`
