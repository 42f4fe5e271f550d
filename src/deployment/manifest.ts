import { canonicalAddress } from '../base/address.ts'
import { isObject, memberOf, parseJsonObject } from '../base/json.ts'
import { lastLines } from '../base/printable.ts'
import type { Component } from '../contracts/component.ts'
import type { HostFacts, Listener } from './facts/hostFacts.ts'

/**
 * Content of `share/installation.json`: the owner of an installation. A folder without it is not an installation of
 * muster.
 */
export type Manifest = {
  readonly version: 1
  readonly cluster: string
  readonly host: string
  /** Of the machine of the installation (machine-id(5)); absent if it had none. */
  readonly machineId?: string
}

export const manifestText = (manifest: Manifest): string => `${JSON.stringify(manifest, null, 2)}\n`

/** Parses a manifest; undefined if it is invalid. */
export function parseManifest(text: string): Manifest | undefined {
  const value = parseJsonObject(text)
  if (value === undefined) return undefined
  const { cluster, host, machineId } = value
  if (!isName(cluster) || !isName(host)) return undefined
  return { version: 1, cluster, host, ...(isName(machineId) ? { machineId } : {}) }
}

const maxNameLength = 300

/** Returns true for a printable name of one line with a plausible length. */
const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxNameLength && lastLines(value) === value

/** Returns the configured listeners of the running components, from their settings on the host. */
export function installedListeners(facts: HostFacts): Listener[] {
  return [...facts.installation.settings].flatMap(([component, settings]) => {
    if (facts.services.get(component)?.state !== 'running') return []
    return ['listen', 'channel', 'proxy'].flatMap((part) => listenersIn(memberOf(settings, part)))
  })
}

/** Returns the listeners of a part of the settings: its address with each port. */
function listenersIn(part: unknown): Listener[] {
  if (!isObject(part)) return []
  const { address, port, readonlyPort } = part
  if (typeof address !== 'string') return []
  const canonical = canonicalAddress(address) ?? address
  return [port, readonlyPort].flatMap((one) =>
    typeof one === 'number' ? [{ address: canonical, port: one }] : [],
  )
}

/** Returns a member of an installed component's settings; undefined if either is absent. */
export function installedPart(facts: HostFacts, component: Component, name: string): unknown {
  return memberOf(facts.installation.settings.get(component), name)
}
