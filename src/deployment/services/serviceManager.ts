import type { ServiceLimits, ServiceManagerName } from '../../config/model.ts'
import type { Component } from '../../contracts/component.ts'
import type { HostFacts, InstalledFacts } from '../facts/hostFacts.ts'
import type { Layout, ServiceData } from '../layout.ts'
import type { ServiceAccount } from '../serviceAccount.ts'

/** Components of an installation, and what runs them. */
export type ServiceSet = {
  readonly manager: ServiceManagerName
  readonly cluster: string
  readonly layout: Layout
  readonly account: ServiceAccount
  readonly data: ServiceData
  readonly components: readonly Component[]
  /** Milliseconds for which the connector lets its clients finish; `drainTimeoutOf` knows. */
  readonly drainTimeout: number
}

/** Component of a cluster: what the names of a manager's services and files are made of. */
export type ServiceId = { readonly cluster: string; readonly component: Component }

/**
 * Program that keeps the components of a host running. Only the implementations know how one differs from the other;
 * all scripts are POSIX sh.
 */
export type ServiceManager = {
  /** True where only root may use it. */
  readonly needsRoot: boolean
  /** True where it starts the components after a reboot. */
  readonly startsAtBoot: boolean
  /** True where it lets components open ports that are reserved to root. */
  readonly grantsPrivilegedPorts: boolean

  /** Returns why it cannot be used on a host; undefined where it can. */
  readonly unavailable: (facts: HostFacts) => Unavailable | undefined
  /** Returns true where the components of an installation are run by it, whatever the file says today. */
  readonly isInstalled: (facts: Pick<InstalledFacts, 'installation'>) => boolean
  /** Returns the paths of what components that it runs write. */
  readonly data: (at: { readonly root: string; readonly cluster: string }) => ServiceData

  /** sh that starts what does not run. */
  readonly start: (set: ServiceSet) => string
  /** sh that stops what runs and waits for its end. */
  readonly stop: (set: ServiceSet) => string
  /** Absent where it needs no files to run a component. */
  readonly definitions?: ServiceDefinitions
  /** Absent where the components write log files themselves. */
  readonly logs?: ServiceLogs
  readonly facts: ServiceFacts
  readonly failure: FailureReader
  readonly snapshot: ServiceSnapshot
  /** Notices on the host that a component has ended, while a call of it waits. */
  readonly watch: (set: Pick<ServiceSet, 'cluster' | 'layout' | 'account' | 'components'>) => ServiceWatch
}

/** Parts of a preflight problem. */
type Unavailable = { readonly code: string; readonly message: string; readonly fix: string }

/** Files by which a manager knows its services, such as systemd units; root's, one for each component. */
export type ServiceDefinitions = {
  /** For people: `systemd units`. */
  readonly noun: string
  /** Program that people are told to look at where something fails. */
  readonly tool: string
  readonly name: (id: ServiceId) => string
  /** Absolute path. */
  readonly path: (id: ServiceId) => string
  readonly text: (service: DefinedService) => string
  /** sh that makes written definitions known, and has their services started with the host. */
  readonly enable: (services: readonly ServiceId[]) => string
  /** sh that stops services and removes their definitions; it ends with 0 unless `set -e` ends it before. */
  readonly remove: (services: readonly ServiceId[]) => string
  /** sh that sets `why` where a definition on the host, of any installation, names a system user. */
  readonly usesUser: (user: string) => string
}

/** Values that a service's definition is made of. */
type DefinedService = ServiceId & {
  readonly template: string
  readonly root: string
  readonly user: string
  readonly group: string
  readonly limits: ServiceLimits
  /** Milliseconds for which it lets its clients finish. */
  readonly drainTimeout: number
  /** True where it opens a port that is reserved to root. */
  readonly privileged: boolean
  /** True where other hosts call it, or it calls other hosts. */
  readonly talksToOthers: boolean
}

/** Logs that a manager keeps. */
type ServiceLogs = {
  /** Form of the lines, for their parser. */
  readonly format: 'journal'
  /** sh command that prints the last lines of a component; `id` names one that has a definition. */
  readonly print: (id: ServiceId, lines: number) => string
  /** Advice for a login that may not read them. */
  readonly fix: string
}

/**
 * Parts of the scripts that read facts, as sh. `$root` is the install-directory and `$c` a component, of which all but
 * `functions` and `ask` speak.
 */
export type ServiceFacts = {
  /** Functions and variables that the other parts need. */
  readonly functions: (source: Pick<ServiceSet, 'cluster' | 'layout'>) => string
  /** Command that succeeds where the component is a service of this manager. */
  readonly has: string
  /**
   * Sets `pid`, and `enabled` to `yes`, where the component plainly runs, without starting a program. Absent where that
   * cannot be seen.
   */
  readonly glance?: string
  /** Asks once of all components. */
  readonly ask?: string
  /** Sets `state`, a `ServiceState`, and `pid` and `enabled`, which are empty and `no` before. */
  readonly read: string
}

/** State of a service that does not answer, as far as its host tells. */
export type ServiceEnd = {
  /** It runs, is being started, or nobody can tell. */
  readonly runs: boolean
  /** Of a service that does not run or was restarted: `result exit-code, exit status 1, restarted once`. */
  readonly result?: string
}

/** Way to read why a component does not run or answer. */
export type FailureReader = {
  /** sh that prints properties as `NAME=value` lines, an empty line, and the last lines of the log. */
  readonly script: (
    set: Pick<ServiceSet, 'cluster' | 'account' | 'data'>,
    of: { readonly component: Component; readonly lines: number; readonly bytes: number },
  ) => string
  /**
   * Reads the properties. Absent where there are none: what the script printed that starts a component is all that can
   * be known then.
   */
  readonly stateOf?: (properties: ReadonlyMap<string, string>) => ServiceEnd
}

/** Installation whose state is copied and restored. */
export type SnapshotSource = Pick<ServiceSet, 'cluster' | 'layout' | 'account' | 'data'>

/**
 * Parts of the scripts that take and restore a snapshot, as sh. They run in the install-directory, in which `$b` is the
 * folder of the snapshot, and have the functions of `processFunctions`. A body is that of a function whose `$1` is a
 * component.
 */
export type ServiceSnapshot = {
  /** sh functions that the other parts need. */
  readonly functions?: (source: Pick<SnapshotSource, 'cluster'>) => string
  /** Body that prints the manager's name and what tells one process from the next; fails where it runs none. */
  readonly identity: string
  /** sh that copies the definitions of all components into `$b`; ends the script where it fails. */
  readonly take?: string
  /** Body that stops a component if it runs; sets `wrong=1` where it fails. `drainTimeout` in milliseconds. */
  readonly stop: (source: SnapshotSource, drainTimeout: number) => string
  /** sh that makes the definitions what they were; `put COPY PATH` replaces a file, `wrong=1` tells of a failure. */
  readonly restore?: string
  /** Body that starts a component; fails where that is known to be in vain. */
  readonly start: (source: SnapshotSource) => string
}

/** Parts of the script that waits for components; it provides `over NUMBER`, which ends the wait. */
type ServiceWatch = {
  /** sh functions that the whole script needs. */
  readonly functions: string
  /** sh function `look NUMBER NAME`: calls `over NUMBER` once the component has ended. */
  readonly look: string
  readonly nameOf: (component: Component) => string
  /** sh that is run once the call was answered: it may find that somebody else gave the answer. */
  readonly afterAnswer: string
}
