import { certificateEntries } from './entries/certificates.ts'
import { contradictionEntries } from './entries/contradictions.ts'
import { databaseEntries } from './entries/databases.ts'
import { driftEntries } from './entries/drift.ts'
import { fileEntries } from './entries/files.ts'
import { hookEntries } from './entries/hooks.ts'
import { hostEntries } from './entries/hosts.ts'
import { hostUserEntries } from './entries/hostUsers.ts'
import { ignoreEntries } from './entries/ignores.ts'
import { iniEntries } from './entries/ini.ts'
import { networkEntries } from './entries/network.ts'
import { secretEntries } from './entries/secrets.ts'
import { shapeEntries } from './entries/shape.ts'
import { storeContentEntries } from './entries/storeContents.ts'
import { storeEntries } from './entries/stores.ts'
import { topologyEntries } from './entries/topology.ts'
import { yamlEntries } from './entries/yaml.ts'
import type { Entry } from './entry.ts'

/** Every finding of the validation, by its stable code. */
export const catalogue = {
  ...fileEntries,
  ...yamlEntries,
  ...shapeEntries,
  ...topologyEntries,
  ...hostEntries,
  ...networkEntries,
  ...databaseEntries,
  ...secretEntries,
  ...storeEntries,
  ...storeContentEntries,
  ...certificateEntries,
  ...hostUserEntries,
  ...driftEntries,
  ...contradictionEntries,
  ...hookEntries,
  ...ignoreEntries,
  ...iniEntries,
} as const

export type Code = keyof typeof catalogue

/** Facts for the text of a finding. */
export type Facts<C extends Code> = (typeof catalogue)[C] extends Entry<infer F> ? F : never

export const isCode = (word: string): word is Code => Object.hasOwn(catalogue, word)

const groups = [
  { title: 'Files and the command line', entries: fileEntries },
  { title: 'YAML', entries: yamlEntries },
  { title: 'Names and values', entries: shapeEntries },
  { title: 'Services and their hosts', entries: topologyEntries },
  { title: 'Hosts', entries: hostEntries },
  { title: 'Ports', entries: networkEntries },
  { title: 'Databases and the proxy', entries: databaseEntries },
  { title: 'Users and passwords', entries: secretEntries },
  { title: 'Keystores and truststores', entries: storeEntries },
  { title: 'What is in a keystore or truststore', entries: storeContentEntries },
  { title: 'Certificates of installed hosts', entries: certificateEntries },
  { title: 'Users of installed hosts', entries: hostUserEntries },
  { title: 'Differences of installed hosts', entries: driftEntries },
  { title: 'Databases of a running service', entries: contradictionEntries },
  { title: 'Hooks and webhooks', entries: hookEntries },
  { title: 'Comments that silence findings', entries: ignoreEntries },
  { title: 'INI files', entries: iniEntries },
] as const

/** Codes by group, in the order of the list. */
export const findingGroups: readonly { readonly title: string; readonly codes: readonly Code[] }[] =
  groups.map(({ title, entries }) => ({ title, codes: Object.keys(entries).filter(isCode) }))
