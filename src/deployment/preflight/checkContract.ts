import type { ClusterConfig, HostConfig } from '../../config/model.ts'
import type { DatabaseLogin } from '../../contracts/databaseAccounts.ts'
import type { TriedChannel } from '../../contracts/hostRoutes.ts'
import type { LoadedStores } from '../desired/userProvidedStores.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import type { RecordedMachines } from '../hostIdentity.ts'
import type { OwnNode } from '../runtime/ownNode.ts'
import type { StepError } from '../stepError.ts'
import type { Observations } from './observe.ts'

/** Options of a host that decide if it can be installed. */
export type CheckedHost = Pick<
  HostConfig,
  | 'name'
  | 'address'
  | 'connection'
  | 'via'
  | 'installDirectory'
  | 'serviceManager'
  | 'user'
  | 'runtime'
  | 'apis'
  | 'channel'
  | 'proxy'
>

/** Host on which an installation is planned. */
export type Candidate = {
  readonly cluster: string
  readonly host: CheckedHost
  readonly facts: HostFacts
}

/** Candidate with the additional observations of `muster check`. */
export type Subject = Candidate & {
  readonly host: HostConfig
  readonly observed: Observations
  /** Logins at databases with the accounts that are installed; absent if none could be tried. */
  readonly logins?: readonly DatabaseLogin[]
  /** Calls at managers of other hosts by what is installed; absent if none could be tried. */
  readonly channels?: readonly TriedChannel[]
}

/** Values that a check may compare a host with. */
export type CheckContext = {
  /** The whole file, even if only some of its hosts are checked. */
  readonly config: ClusterConfig
  /** All reachable hosts. */
  readonly subjects: readonly Subject[]
  /** Returns the place in the file of the master of a service, such as `muster.yaml:4`. */
  readonly placeOfMaster: (service: string) => string
  readonly stores: LoadedStores
  readonly machines: RecordedMachines
  readonly ownNode: OwnNode
  readonly now: Date
}

/** One preflight check. Its functions are pure. */
export type Check = {
  /** Stable: `muster check` prints it, also as JSON. The file is named after it. */
  readonly id: string
  /**
   * Returns problems for which an installation refuses the host; `muster check` reports them as failures. Absent if
   * the check needs more than an installation knows at that point, or only warns.
   */
  readonly check?: (candidate: Candidate) => readonly StepError[]
  /** Returns at least one verdict of `muster check` on a host for which `check` found no problem. */
  readonly describe: (subject: Subject, context: CheckContext) => readonly Verdict[]
}

/** Result of a check for one host. The reason is a clause that follows the host's name. */
export type Verdict =
  | { readonly result: 'ok'; readonly reason: string }
  | {
      readonly result: 'warning' | 'failure'
      readonly reason: string
      readonly fix: string
      /** Absent if only a person can fix it. */
      readonly remedy?: Remedy
    }

/**
 * A fix that `check --fix` applies. It stops and opens nothing, changes nothing that another program relies on
 * (clock, firewall, names), and removes only what is muster's own. May be repeated.
 */
export type Remedy = {
  /** Worded like a step: `remove 2 leftovers of interrupted runs`. */
  readonly summary: string
  /** POSIX sh, run as the login of the check. */
  readonly script: string
}

export const ok = (reason: string): readonly Verdict[] => [{ result: 'ok', reason }]

export const warning = (reason: string, fix: string, remedy?: Remedy): readonly Verdict[] => [
  { result: 'warning', reason, fix, ...(remedy === undefined ? {} : { remedy }) },
]

export const failure = (reason: string, fix: string): readonly Verdict[] => [
  { result: 'failure', reason, fix },
]

export const failures = (
  problems: readonly { readonly message: string; readonly fix: string }[],
): readonly Verdict[] => problems.flatMap(({ message, fix }) => failure(message, fix))
