import { certificateEntries } from './entries/certificates.ts'
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
import { yamlEntries } from './entries/yaml.ts'
import type { Entry } from './entry.ts'

/** Texts of findings that do not yet stand with their rule, by code. */
export const catalogue = {
  ...fileEntries,
  ...yamlEntries,
  ...shapeEntries,
  ...hostEntries,
  ...networkEntries,
  ...databaseEntries,
  ...secretEntries,
  ...storeEntries,
  ...storeContentEntries,
  ...certificateEntries,
  ...hostUserEntries,
  ...driftEntries,
  ...hookEntries,
  ...ignoreEntries,
  ...iniEntries,
} as const

export type TextCode = keyof typeof catalogue

/** Facts for the text of a finding. */
export type Facts<C extends TextCode> = (typeof catalogue)[C] extends Entry<infer F> ? F : never
