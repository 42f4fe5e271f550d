import { canonicalAddress } from '../base/address.ts'
import { isObject, parseJsonObject } from '../base/json.ts'
import { lastLines } from '../base/printable.ts'
import type { Component } from '../contracts/component.ts'
import type { HostFacts, Listener } from './facts/hostFacts.ts'

/** `share/installation.json`: whose installation a folder holds. Without it, nothing there is ours. */
export type Manifest = {
  readonly version: 1
  readonly cluster: string
  readonly host: string
  /** Of the machine that it was installed on (machine-id(5)); absent where that had none. */
  readonly machineId?: string
}

/** Text of the manifest file. */
export const manifestText = (manifest: Manifest): string => `${JSON.stringify(manifest, null, 2)}\n`

/** Reads a manifest; undefined when it is not one. */
export function parseManifest(text: string): Manifest | undefined {
  const value = parseJsonObject(text)
  if (value === undefined) return undefined
  const { cluster, host, machineId } = value
  if (!isName(cluster) || !isName(host)) return undefined
  return { version: 1, cluster, host, ...(isName(machineId) ? { machineId } : {}) }
}

const longestName = 300

/** A name as a person can read it: of one line, and not longer than any of ours. */
const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= longestName && lastLines(value) === value

/** Where the running components of this installation listen, as their settings on the host say. */
export function installedListeners(facts: HostFacts): Listener[] {
  return [...facts.installation.settings].flatMap(([component, text]) => {
    const settings = parseJsonObject(text)
    if (facts.services.get(component)?.state !== 'running') return []
    return [...listenersIn(settings?.listen), ...listenersIn(settings?.proxy)]
  })
}

/** The ports that a part of the settings gives for its address. */
function listenersIn(part: unknown): Listener[] {
  if (!isObject(part)) return []
  const { address, port, readonlyPort } = part
  if (typeof address !== 'string') return []
  const canonical = canonicalAddress(address) ?? address
  return [port, readonlyPort].flatMap((one) =>
    typeof one === 'number' ? [{ address: canonical, port: one }] : [],
  )
}

/** What the settings of an installed component say under a name; undefined where it is not installed or says nothing. */
export function installedPart(facts: HostFacts, component: Component, name: string): unknown {
  return parseJsonObject(facts.installation.settings.get(component) ?? '')?.[name]
}
