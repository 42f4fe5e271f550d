import { printable } from '../../base/printable.ts'
import { listOf, shortListOf } from '../../base/words.ts'
import type { Leaving } from '../../deployment/certificates/leaving.ts'

/** The name of an outside authority may be anything: nothing in it moves the cursor. */
const namesOf = (authorities: readonly string[]): string => listOf(authorities.map(printable))

const are = (some: readonly unknown[]): string => (some.length === 1 ? 'is' : 'are')

/** What a run is about to do that lets hosts leave outside authorities, a line each; `file` is what clients must trust. */
export function leavingText(leaving: Leaving, file: string): readonly string[] {
  const { hosts, dropped, staying } = leaving
  if (hosts.length === 0) return ['no selected host has a certificate of an external authority']
  const authorities = [...dropped, ...staying.map(({ authority }) => authority)]
  const all = namesOf(authorities)
  const [get, certificates] = hosts.length === 1 ? ['gets', 'a certificate'] : ['get', 'certificates']
  const first = `${shortListOf(hosts, 8)} ${get} ${certificates} of the cluster's own authority; ${all} ${are(authorities)} still trusted`
  return [
    dropped.length === 0 ? first : `phase 1 of 2: ${first}`,
    ...(dropped.length === 0 ? [] : [`then ${droppingText(dropped)}`]),
    ...staying.map(
      ({ authority, hosts: others }) =>
        `${printable(authority)} stays trusted: ${shortListOf(others, 8)} ${others.length === 1 ? 'has a certificate' : 'have certificates'} of it`,
    ),
    `clients elsewhere that trust ${all} alone must trust ${file} first`,
  ]
}

/** The second phase. */
export const droppingText = (dropped: readonly string[]): string =>
  `phase 2 of 2: ${namesOf(dropped)} ${are(dropped)} trusted no longer`

/** A run that ended before every host had proved its new certificate. */
export function stoppedLeavingText(hosts: readonly string[]): string {
  const [their, has] = hosts.length === 1 ? ['its certificate', 'has'] : ['their certificates', 'have']
  return hosts.length === 0
    ? "Every certificate is one of the cluster's own authority now; the outside one is still trusted. The same command ends that."
    : `${shortListOf(hosts, 8)} ${has} no verified new certificate: the state directory keeps ${their} of the external authority. Run the same command again to continue.`
}

/** All hosts that were chosen show certificates of the own authority; `left` were not, and trust what they trusted. */
export function endedLeavingText({ hosts, dropped }: Leaving, left: readonly string[]): string {
  const shown = `${shortListOf(hosts, 8)} ${hosts.length === 1 ? 'shows a certificate' : 'show certificates'} of the cluster's own authority, which install renews from now on.`
  if (dropped.length === 0 || left.length === 0) return shown
  return `${shown} ${shortListOf(left, 8)} ${left.length === 1 ? 'trusts' : 'trust'} ${namesOf(dropped)} until the next muster install.`
}
