import type { ClusterConfig, HostConfig } from '../../config/model.ts'
import type { StorePasswords } from '../desired/stores.ts'
import type { HostFacts } from '../facts/model.ts'
import type { Machines } from '../hostIdentity.ts'
import type { Observations } from './observations.ts'
import type { Verdict } from './verdict.ts'

/** A host that was reached, and all that is known of it. */
export type Subject = {
  readonly host: HostConfig
  readonly facts: HostFacts
  readonly seen: Observations
}

/** The operator's own stores: what could be read of them on this machine. */
export type StoresRead = {
  /** Contents by path. */
  readonly files: ReadonlyMap<string, Buffer>
  /** By host; a password that could not be read is missing here and told in `failures`. */
  readonly passwords: ReadonlyMap<string, StorePasswords>
  readonly failures: ReadonlyMap<string, readonly { readonly message: string; readonly fix: string }[]>
}

/** What a check may compare a host with. */
export type Surroundings = {
  /** The whole file, also where only some of its hosts are checked. */
  readonly config: ClusterConfig
  /** All hosts that were reached. */
  readonly subjects: readonly Subject[]
  readonly stores: StoresRead
  readonly machines: Machines
  /** The Node.js that muster runs on. */
  readonly ownNode: { readonly path: string; readonly version: string }
  readonly now: Date
}

/** One question about a host; pure, and answered by at least one verdict. */
export type Check = {
  /** A stable word. */
  readonly id: string
  readonly judge: (subject: Subject, around: Surroundings) => readonly Verdict[]
}
