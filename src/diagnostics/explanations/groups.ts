import type { Code } from '../catalogue.ts'
import { certificateExplanations } from './certificates.ts'
import { databaseExplanations } from './databases.ts'
import type { Explanation } from './explanation.ts'
import { fileExplanations } from './files.ts'
import { hostExplanations } from './hosts.ts'
import { ignoreExplanations } from './ignores.ts'
import { iniExplanations } from './ini.ts'
import { networkExplanations } from './network.ts'
import { openedStoreExplanations } from './openedStores.ts'
import { secretExplanations } from './secrets.ts'
import { shapeExplanations } from './shape.ts'
import { storeExplanations } from './stores.ts'
import { topologyExplanations } from './topology.ts'
import { userExplanations } from './users.ts'
import { yamlExplanations } from './yaml.ts'

/** Every explanation by its code. The compiler demands one for each code of the catalogue. */
export const explanations: Readonly<Record<Code, Explanation>> = {
  ...fileExplanations,
  ...yamlExplanations,
  ...shapeExplanations,
  ...topologyExplanations,
  ...hostExplanations,
  ...networkExplanations,
  ...databaseExplanations,
  ...secretExplanations,
  ...storeExplanations,
  ...openedStoreExplanations,
  ...certificateExplanations,
  ...userExplanations,
  ...ignoreExplanations,
  ...iniExplanations,
}

/** Whether a word is the code of a finding. */
export const isCode = (word: string): word is Code => Object.hasOwn(explanations, word)

const groups = [
  { title: 'Files and the command line', explanations: fileExplanations },
  { title: 'YAML', explanations: yamlExplanations },
  { title: 'Names and values', explanations: shapeExplanations },
  { title: 'Services and their hosts', explanations: topologyExplanations },
  { title: 'Hosts', explanations: hostExplanations },
  { title: 'Ports', explanations: networkExplanations },
  { title: 'Databases and the proxy', explanations: databaseExplanations },
  { title: 'Users and passwords', explanations: secretExplanations },
  { title: 'Keystores and truststores', explanations: storeExplanations },
  { title: 'What is in a keystore or truststore', explanations: openedStoreExplanations },
  { title: 'Certificates of installed hosts', explanations: certificateExplanations },
  { title: 'Users of installed hosts', explanations: userExplanations },
  { title: 'Comments that silence findings', explanations: ignoreExplanations },
  { title: 'INI files', explanations: iniExplanations },
] as const

/** The codes in the groups and the order in which they are listed; every code is in one group. */
export const findingGroups: readonly { readonly title: string; readonly codes: readonly Code[] }[] =
  groups.map(({ title, explanations }) => ({ title, codes: Object.keys(explanations).filter(isCode) }))
