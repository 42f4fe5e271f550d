import { isObject } from '../../base/json.ts'
import { sha256 } from '../../base/sha256.ts'
import type { InstalledFacts } from './hostFacts.ts'

/** Returns the facts of a host with what equals that of an earlier host shared with it, in place of a copy. */
export type ShareFacts = <Facts extends InstalledFacts>(facts: Facts) => Facts

/**
 * Shares between the hosts of a survey what most have in common: service definitions, and members of settings such as
 * the services map, which grows with the number of hosts.
 */
export function factsSharing(): ShareFacts {
  const texts = new Map<string, string>()
  const members = new Map<string, object>()
  const sharedText = (text: string): string => {
    const known = texts.get(text)
    if (known === undefined) texts.set(text, text)
    return known ?? text
  }
  const sharedMember = (member: unknown): unknown => {
    if (typeof member !== 'object' || member === null) return member
    const digest = sha256(JSON.stringify(member))
    const known = members.get(digest)
    if (known === undefined) members.set(digest, member)
    return known ?? member
  }
  const sharedSettings = (settings: unknown): unknown =>
    isObject(settings)
      ? Object.fromEntries(Object.entries(settings).map(([name, member]) => [name, sharedMember(member)]))
      : settings
  return (facts) => {
    const { settings, units } = facts.installation
    const installation = {
      ...facts.installation,
      settings: new Map([...settings].map(([component, one]) => [component, sharedSettings(one)])),
      units: new Map([...units].map(([component, text]) => [component, sharedText(text)])),
    }
    return { ...facts, installation }
  }
}
