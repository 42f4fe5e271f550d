import { addresses } from './checks/addresses.ts'
import { certificates } from './checks/certificates.ts'
import { clock } from './checks/clock.ts'
import { database } from './checks/database.ts'
import { directory } from './checks/directory.ts'
import { disk } from './checks/disk.ts'
import { firewall } from './checks/firewall.ts'
import { installation } from './checks/installation.ts'
import { leftovers } from './checks/leftovers.ts'
import { login } from './checks/login.ts'
import { machineId } from './checks/machineId.ts'
import { names } from './checks/names.ts'
import { noexec } from './checks/noexec.ts'
import { ownName } from './checks/ownName.ts'
import { ports } from './checks/ports.ts'
import { root } from './checks/root.ts'
import { runtime } from './checks/runtime.ts'
import { services } from './checks/services.ts'
import { system } from './checks/system.ts'
import type { Check } from './subject.ts'

/** Everything that is asked about a host, in the order in which it is told. */
export const checks: readonly Check[] = [
  login,
  root,
  system,
  machineId,
  services,
  runtime,
  directory,
  installation,
  leftovers,
  disk,
  noexec,
  ports,
  addresses,
  firewall,
  clock,
  names,
  ownName,
  certificates,
  database,
]
