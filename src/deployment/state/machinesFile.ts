import { isObject, parseJson } from '../../base/json.ts'

/** What machines.json keeps of each host, by host name. */
export type KnownMachines = {
  /** The machine-id of its installation. */
  readonly machines: ReadonlyMap<string, string>
  /** The install-directory of its installation; unknown where an older muster installed it. */
  readonly folders: ReadonlyMap<string, string>
}

/** The content of machines.json, version 1; an older muster passes over the folders. */
export function encodeMachines({ machines, folders }: KnownMachines): Buffer {
  const content = { version: 1, machines: sorted(machines), folders: sorted(folders) }
  return Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`)
}

const sorted = (map: ReadonlyMap<string, string>): Readonly<Record<string, string>> =>
  Object.fromEntries([...map].sort(([one], [other]) => (one < other ? -1 : 1)))

/** Reads machines.json; a string is what is wrong with it, as the end of a sentence. */
export function decodeMachines(bytes: Buffer): KnownMachines | string {
  const content = parseJson(bytes.toString('utf8'))
  if (!isObject(content)) return 'is not JSON'
  if (content.version !== 1) return 'has a version that this muster does not support'
  const { machines, folders = {} } = content
  if (!isObject(machines)) return 'has no machines'
  const ids = textsOf(machines)
  if (ids === undefined) return 'has a host without a machine-id'
  const places = isObject(folders) ? textsOf(folders) : undefined
  return places === undefined ? 'has a host without a folder' : { machines: ids, folders: places }
}

/** Undefined where a value is no text, or an empty one. */
function textsOf(values: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> | undefined {
  const texts = Object.entries(values).flatMap(([host, text]) =>
    typeof text === 'string' && text !== '' ? [[host, text] as const] : [],
  )
  return texts.length < Object.keys(values).length ? undefined : new Map(texts)
}
