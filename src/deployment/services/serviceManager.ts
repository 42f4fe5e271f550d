import type { ServiceLimits } from '../../config/model.ts'
import type { ServiceManagerName } from '../../config/settings/serviceManagerNames.ts'
import type { Component } from '../../contracts/component.ts'
import type { Failure } from '../events.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import type { Layout, ServiceData } from '../layout.ts'
import type { ServiceAccount } from '../serviceAccount.ts'

/** Components of an installation, and their service manager. */
export type ServiceSet = {
  readonly manager: ServiceManagerName
  readonly cluster: string
  readonly layout: Layout
  readonly account: ServiceAccount
  readonly data: ServiceData
  readonly components: readonly Component[]
  /** Milliseconds in which the connector lets its clients finish; see `drainTimeoutOf`. */
  readonly drainTimeout: number
}

/** Component of a cluster; names of services and files are derived from it. */
export type ServiceId = { readonly cluster: string; readonly component: Component }

/**
 * Program that keeps the components of a host running. Only the implementations know how they differ; all scripts are
 * POSIX sh.
 */
export type ServiceManager = {
  /** True if only root may use it. */
  readonly needsRoot: boolean
  /** True if it starts the components after a reboot. */
  readonly startsAtBoot: boolean
  /** True if it lets components open ports that are reserved to root. */
  readonly grantsPrivilegedPorts: boolean

  /** Returns why it is not available on a host; undefined if it is. */
  readonly unavailable: (facts: HostFacts) => Failure | undefined
  /** Returns the data paths of its components. */
  readonly data: (at: { readonly root: string; readonly cluster: string }) => ServiceData

  /** Returns sh that starts stopped components. */
  readonly start: (set: ServiceSet) => string
  /** Returns sh that stops running components and waits for their end. */
  readonly stop: (set: ServiceSet) => string
  /** Absent if it needs no files to run a component. */
  readonly definitions?: ServiceDefinitions
  /** Absent if the components write log files themselves. */
  readonly logs?: ServiceLogs
  readonly facts: ServiceFacts
  readonly failure: FailureReader
  readonly snapshot: ServiceSnapshot
  /** Returns how a script on the host detects that a component has ended. */
  readonly watch: (set: Pick<ServiceSet, 'cluster' | 'layout' | 'account' | 'components'>) => ServiceWatch
}

/** Files by which a manager knows its services, such as systemd units; one per component, owned by root. */
export type ServiceDefinitions = {
  /** Term for messages: `systemd units`. */
  readonly noun: string
  /** Program that messages recommend after a failure. */
  readonly tool: string
  readonly name: (id: ServiceId) => string
  /** Absolute path. */
  readonly path: (id: ServiceId) => string
  /** Word that is unique among the managers, for the facts about the definitions. */
  readonly factKey: string
  readonly mode: number
  /** Name of a file in templates/. */
  readonly template: string
  /** Returns the values for each `{{name}}` in the template. */
  readonly values: (service: DefinedService) => Readonly<Record<string, string>>
  /** Returns the install-directory that a definition names. */
  readonly folderIn: (text: string) => string | undefined
  /** Returns sh that loads written definitions and enables their services at boot. */
  readonly enable: (services: readonly ServiceId[]) => string
  /** Returns sh that stops services and removes their definitions; exits with 0 unless `set -e` ends it before. */
  readonly remove: (services: readonly ServiceId[]) => string
  /** Returns sh that sets `why` if a definition on the host, of any installation, names a system user. */
  readonly usesUser: (user: string) => string
}

/** Values of a service's definition. */
type DefinedService = ServiceId & {
  readonly root: string
  readonly user: string
  readonly group: string
  readonly limits: ServiceLimits
  /** Milliseconds in which it lets its clients finish. */
  readonly drainTimeout: number
  /** True if it opens a port that is reserved to root. */
  readonly privileged: boolean
  /** True if other hosts connect to it, or it connects to other hosts. */
  readonly talksToOthers: boolean
}

/** Logs that a manager keeps. */
type ServiceLogs = {
  /** Form of the lines, for their parser. */
  readonly format: 'journal'
  /** Returns an sh command that prints the last log lines of a component; `id` names one that has a definition. */
  readonly print: (id: ServiceId, lines: number) => string
  /** Returns the same command, which goes on with new lines and does not end. */
  readonly follow: (id: ServiceId, lines: number) => string
  /** Fix for a login without permission to read them. */
  readonly fix: string
}

/**
 * Parts of the scripts that read facts, as sh. `$root` is the install-directory and `$c` a component, which all parts
 * except `functions` and `readAll` use.
 */
export type ServiceFacts = {
  /** Prints `say init NAME` if the manager is the host's init system, and systemd another row. */
  readonly recognize?: string
  /** Returns functions and variables that the other parts need. */
  readonly functions: (source: Pick<ServiceSet, 'cluster' | 'layout'>) => string
  /** Command that succeeds if the component is a service of this manager. */
  readonly has: string
  /**
   * Sets `pid`, and `enabled` to `yes`, if the component certainly runs, without starting a program. Absent if that
   * is not possible.
   */
  readonly quickCheck?: string
  /** Reads the state of all components at once. */
  readonly readAll?: string
  /** Sets `state`, a `ServiceState`, `pid` and `enabled`, which are empty and `no` before. */
  readonly read: string
}

/** State of a service that does not respond, as far as its host reports it. */
export type ServiceEnd = {
  /** True if it runs, is starting, or its state is unknown. */
  readonly runs: boolean
  /** Result of a service that has ended or was restarted: `result exit-code, exit status 1, restarted once`. */
  readonly result?: string
}

/** Reads why a component does not run or respond. */
export type FailureReader = {
  /** Returns sh that prints properties as `NAME=value` lines, an empty line, and the last lines of the log. */
  readonly script: (
    set: Pick<ServiceSet, 'cluster' | 'account' | 'data'>,
    of: { readonly component: Component; readonly lines: number; readonly bytes: number },
  ) => string
  /** Parses the properties. Absent if there are none: then only the output of the start script is known. */
  readonly stateOf?: (properties: ReadonlyMap<string, string>) => ServiceEnd
}

/** Installation whose snapshot is taken and restored. */
export type SnapshotSource = Pick<ServiceSet, 'cluster' | 'layout' | 'account' | 'data'>

/**
 * Parts of the scripts that take and restore a snapshot, as sh. They run in the install-directory, with `$b` as the
 * folder of the snapshot, and have the functions of `processFunctions`. A body is that of a function whose `$1` is a
 * component.
 */
export type ServiceSnapshot = {
  /** Returns sh functions that the other parts need. */
  readonly functions?: (source: Pick<SnapshotSource, 'cluster'>) => string
  /** Body that prints the manager's name and the identity of the process; fails if none runs. */
  readonly identity: string
  /** sh that copies the definitions of all components into `$b`; ends the script on failure. */
  readonly take?: string
  /** Body that stops a running component; sets `wrong=1` on failure. `drainTimeout` in milliseconds. */
  readonly stop: (source: SnapshotSource, drainTimeout: number) => string
  /** sh that restores the definitions; `put COPY PATH` replaces a file, `wrong=1` marks a failure. */
  readonly restore?: string
  /** Body that starts a component; fails early if the start cannot succeed. */
  readonly start: (source: SnapshotSource) => string
}

/** Parts of the script that waits for components; it provides `over NUMBER`, which ends the wait. */
type ServiceWatch = {
  /** sh functions that the whole script needs. */
  readonly functions: string
  /** sh function `look NUMBER NAME`: calls `over NUMBER` once the component has ended. */
  readonly look: string
  readonly nameOf: (component: Component) => string
  /** sh that runs after the call got a response: another program may have sent it. */
  readonly afterResponse: string
}
