import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import type { ResolvedCluster } from './resolve/resolved.ts'
import { adminUser } from './rules/adminUser.ts'
import { apiUsers } from './rules/apiUsers.ts'
import { duplicateAddresses } from './rules/duplicateAddresses.ts'
import { duplicateHosts } from './rules/duplicateHosts.ts'
import { evenManagers } from './rules/evenManagers.ts'
import { incompleteDatabases } from './rules/incompleteDatabases.ts'
import { installDirectory } from './rules/installDirectory.ts'
import { localClashes } from './rules/localClashes.ts'
import { master } from './rules/master.ts'
import { members } from './rules/members.ts'
import { openWithoutAdmin } from './rules/openWithoutAdmin.ts'
import { passwords } from './rules/passwords.ts'
import { portClashes } from './rules/portClashes.ts'
import { privilegedPorts } from './rules/privilegedPorts.ts'
import { required } from './rules/required.ts'
import { sameDatabase } from './rules/sameDatabase.ts'
import { serviceConflicts } from './rules/serviceConflicts.ts'
import { sharedConnectors } from './rules/sharedConnectors.ts'
import { sharedKeystore } from './rules/sharedKeystore.ts'
import { stores } from './rules/stores.ts'
import { switchDrain } from './rules/switchDrain.ts'
import { topologies } from './rules/topologies.ts'
import { unknownHosts } from './rules/unknownHosts.ts'
import { unusedHosts } from './rules/unusedHosts.ts'
import { warningDays } from './rules/warningDays.ts'
import { withoutEffect } from './rules/withoutEffect.ts'

/** Checks the resolved configuration; pure, and independent of other rules. */
type Rule = (cluster: ResolvedCluster) => readonly Diagnostic[]

/** Every rule, from the whole file to single options; findings do not depend on the order. */
export const allRules: readonly Rule[] = [
  required,
  unknownHosts,
  unusedHosts,
  duplicateHosts,
  duplicateAddresses,
  members,
  master,
  evenManagers,
  topologies,
  serviceConflicts,
  withoutEffect,
  portClashes,
  localClashes,
  privilegedPorts,
  openWithoutAdmin,
  sharedConnectors,
  incompleteDatabases,
  sameDatabase,
  switchDrain,
  adminUser,
  apiUsers,
  passwords,
  stores,
  sharedKeystore,
  warningDays,
  installDirectory,
]
