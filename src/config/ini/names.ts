import { allOptions } from '../settings/options.ts'
import { type Setting, spellings } from '../settings/setting.ts'

/** What a data service's section says beside options. */
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
 * Spellings of the fields: the short one and the one made from the property's own name, both of which tpm takes
 * (continuent's tungsten-replicator, ruby-tpm/configure/modules/prompts_clusters.rb); `replicas` is today's word.
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

/** Further spellings that the family takes for options that muster has (prompts_datasource.rb, prompts_z_connector.rb). */
const otherSpellings: ReadonlyMap<string, string> = new Map([
  ['home-directory', 'install-directory'],
  ['connector-listen-port', 'application-port'],
  ['connector-readonly-listen-port', 'application-readonly-port'],
  ...['user', 'password', 'host', 'port'].flatMap((word) =>
    ['datasource', 'repl-datasource'].map((prefix) => [`${prefix}-${word}`, `replication-${word}`] as const),
  ),
  ['repl-datasource-type', 'datasource-type'],
])

/** Options that only muster has; the family's tpm would refuse a file that gives one. */
const ownNames: ReadonlySet<string> = new Set([
  'rest-api-users',
  'rest-api-remote-bootstrap',
  'rest-api-allowed-hosts',
  'tls-warning-days',
  'service-manager',
  'runtime',
  'log-level',
  'monitor-user',
  'monitor-password',
  'application-address',
  'connector-max-held',
  'connector-max-hold',
  'connector-drain-timeout',
])

const bySpelling: ReadonlyMap<string, Setting<unknown>> = new Map(
  allOptions.flatMap((setting) => spellings([setting]).map((name) => [name, setting] as const)),
)

/** A name as tpm reads it: underscores are hyphens, leading hyphens are left out (package_cluster.rb). */
const canonicalName = (key: string): string => key.replaceAll('_', '-').replace(/^--/, '')

export const fieldOf = (key: string): Field | undefined => fields.get(canonicalName(key))

export function optionOf(key: string): Setting<unknown> | undefined {
  const name = canonicalName(key)
  return bySpelling.get(otherSpellings.get(name) ?? name)
}

/** Whether the family has an option of this name. */
export const isFamilyOption = (setting: Setting<unknown>): boolean => !ownNames.has(setting.name)

/** Whether a name can be shown: what is none may be a piece of a secret. */
export const isPlainName = (key: string): boolean => /^[\w.+-]{1,60}$/.test(key)

/** Whether one letter that is missing, added or another one makes one word of the other. */
function differsByOne(a: string, b: string): boolean {
  let same = 0
  while (same < a.length && a.charAt(same) === b.charAt(same)) same += 1
  const rest = (text: string, from: number): string => text.slice(same + from)
  return [rest(a, 1) === rest(b, 1), rest(a, 0) === rest(b, 1), rest(a, 1) === rest(b, 0)].includes(true)
}

/**
 * The name that was probably meant: one letter differs, underscores and hyphens aside. No more, for the family
 * has names that are close to ours and mean something else, such as application-user beside replication-user.
 */
export function misspelt(key: string): string | undefined {
  const name = canonicalName(key.toLowerCase())
  if (name.length < 6) return undefined
  return [...bySpelling.keys(), ...fields.keys()].find((known) => known === name || differsByOne(known, name))
}
