import { isObject } from '../../client/envelope.ts'
import { parseJson } from '../../client/parseJson.ts'

/** The content of machines.json: version 1, machine-ids by host name. */
export function encodeMachines(machines: ReadonlyMap<string, string>): Buffer {
  const sorted = [...machines].sort(([one], [other]) => (one < other ? -1 : 1))
  return Buffer.from(
    `${JSON.stringify({ version: 1, machines: Object.fromEntries(sorted) }, undefined, 2)}\n`,
  )
}

/** Reads machines.json; a string is what is wrong with it, as the end of a sentence. */
export function decodeMachines(bytes: Buffer): ReadonlyMap<string, string> | string {
  const content = parseJson(bytes.toString('utf8'))
  if (!isObject(content)) return 'is not JSON'
  if (content.version !== 1) return 'is of a version that this muster does not know'
  const { machines } = content
  if (!isObject(machines)) return 'has no machines'
  const known = Object.entries(machines).flatMap(([host, id]) =>
    typeof id === 'string' && id !== '' ? [[host, id] as const] : [],
  )
  return known.length < Object.keys(machines).length ? 'has a host without a machine-id' : new Map(known)
}
