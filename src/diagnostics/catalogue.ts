import { certificateEntries } from './entries/certificates.ts'
import { databaseEntries } from './entries/databases.ts'
import { fileEntries } from './entries/files.ts'
import { hostEntries } from './entries/hosts.ts'
import { ignoreEntries } from './entries/ignores.ts'
import { iniEntries } from './entries/ini.ts'
import { networkEntries } from './entries/network.ts'
import { openedStoreEntries } from './entries/openedStores.ts'
import { secretEntries } from './entries/secrets.ts'
import { shapeEntries } from './entries/shape.ts'
import { storeEntries } from './entries/stores.ts'
import { topologyEntries } from './entries/topology.ts'
import { userEntries } from './entries/users.ts'
import { yamlEntries } from './entries/yaml.ts'
import type { Entry } from './entry.ts'

/** Every finding that validation can make, by its stable code. */
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
  ...openedStoreEntries,
  ...certificateEntries,
  ...userEntries,
  ...ignoreEntries,
  ...iniEntries,
} as const

export type Code = keyof typeof catalogue

/** What the words of a finding are made from. */
export type Facts<C extends Code> = (typeof catalogue)[C] extends Entry<infer F> ? F : never
