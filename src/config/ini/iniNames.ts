import { canonicalAddress } from '../../base/address.ts'
import { allOptions } from '../settings/options.ts'
import { file } from '../settings/places.ts'
import { type Setting, spellings } from '../settings/setting.ts'

/** A host of an INI file, where an address may be its name; in a YAML file a host has a name. */
type NamedHost = { readonly name: string; readonly address?: string }

/** Names the host of an INI name or address: 10.0.0.11 becomes host-10-0-0-11 with that address. */
export function hostFrom(text: string): NamedHost {
  const address = canonicalAddress(text)
  if (address === undefined) return { name: text }
  // A name cannot end with a hyphen, and 1:: is 1::0.
  const name = `host-${address.replaceAll(/[.:]/g, '-')}`.replace(/-$/, '-0')
  return { name, address }
}

/** Names the service of a section: tpm accepts letters, digits and _, muster letters, digits, - and dots. */
export const serviceFrom = (section: string): string => section.replaceAll('_', '-')

const nowhere = { file: '', line: 1, column: 1, endLine: 1, endColumn: 2 }

const canNameCluster = (text: string): boolean =>
  file.cluster.type.read({ kind: 'scalar', value: text, source: text, span: nowhere }, '').value !== undefined

/** Names a cluster after its first service. */
export function clusterFrom(service: string): string {
  const lower = service.toLowerCase().replaceAll('.', '-')
  return canNameCluster(lower) ? lower : service
}

/** Fields of a data service's section beside options. */
export type Field =
  | 'topology'
  | 'master'
  | 'members'
  | 'slaves'
  | 'connectors'
  | 'witnesses'
  | 'active-witnesses'
  | 'composite'

/**
 * Spellings of the fields: the short one and the property's own name, which tpm both accepts (continuent's
 * tungsten-replicator, ruby-tpm/configure/modules/prompts_clusters.rb); `replicas` is the current word.
 */
const fields: ReadonlyMap<string, Field> = new Map([
  ['topology', 'topology'],
  ['dataservice-topology', 'topology'],
  ['master', 'master'],
  ['masters', 'master'],
  ['relay', 'master'],
  ['dataservice-master-host', 'master'],
  ['members', 'members'],
  ['dataservice-hosts', 'members'],
  ['slaves', 'slaves'],
  ['replicas', 'slaves'],
  ['dataservice-slaves', 'slaves'],
  ['connectors', 'connectors'],
  ['dataservice-connectors', 'connectors'],
  ['witnesses', 'witnesses'],
  ['dataservice-witnesses', 'witnesses'],
  ['enable-active-witnesses', 'active-witnesses'],
  ['active-witnesses', 'active-witnesses'],
  ['composite-datasources', 'composite'],
  ['dataservice-composite-datasources', 'composite'],
])

/**
 * Further spellings in the family of options that muster has (prompts_datasource.rb, prompts_z_connector.rb).
 */
const otherSpellings: ReadonlyMap<string, string> = new Map([
  ['home-directory', 'install-directory'],
  ['connector-listen-port', 'application-port'],
  ['connector-readonly-listen-port', 'application-readonly-port'],
  ...['user', 'password', 'host', 'port'].flatMap((word) =>
    ['datasource', 'repl-datasource'].map((prefix) => [`${prefix}-${word}`, `replication-${word}`] as const),
  ),
  ['repl-datasource-type', 'datasource-type'],
])

const bySpelling: ReadonlyMap<string, Setting<unknown>> = new Map(
  allOptions.flatMap((setting) => spellings([setting]).map((name) => [name, setting] as const)),
)

/**
 * Normalizes a name like tpm: underscores become hyphens, leading hyphens are removed (package_cluster.rb).
 */
const canonicalName = (key: string): string => key.replaceAll('_', '-').replace(/^--/, '')

export const fieldOf = (key: string): Field | undefined => fields.get(canonicalName(key))

export function optionOf(key: string): Setting<unknown> | undefined {
  const name = canonicalName(key)
  return bySpelling.get(otherSpellings.get(name) ?? name)
}

/** Returns true if a name can be printed: other text may be a piece of a secret. */
export const isPlainName = (key: string): boolean => /^[\w.+-]{1,60}$/.test(key)

/** Returns true if two words differ by one letter that is missing, added or replaced. */
function differsByOne(a: string, b: string): boolean {
  let same = 0
  while (same < a.length && a.charAt(same) === b.charAt(same)) same += 1
  const rest = (text: string, from: number): string => text.slice(same + from)
  return [rest(a, 1) === rest(b, 1), rest(a, 0) === rest(b, 1), rest(a, 1) === rest(b, 0)].includes(true)
}

/**
 * Returns the name that was probably meant: one letter differs, apart from underscores and hyphens. Not more,
 * since the family has similar names with other meanings, such as application-user and replication-user.
 */
export function correctedName(key: string): string | undefined {
  const name = canonicalName(key.toLowerCase())
  if (name.length < 6) return undefined
  return [...bySpelling.keys(), ...fields.keys()].find((known) => known === name || differsByOne(known, name))
}
