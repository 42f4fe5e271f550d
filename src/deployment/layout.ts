import { sha256 } from '../base/sha256.ts'
import type { ServiceManagerName } from '../config/settings/serviceManagerNames.ts'
import type { Component } from '../contracts/component.ts'

/**
 * Absolute paths below the install-directory that only a deployment writes (trust.md). Root reads, runs and follows
 * them, so no less privileged user may own any of these folders. Paths that the service user writes are in
 * `ServiceData`.
 */
export type Layout = {
  readonly root: string
  readonly releases: string
  readonly current: string
  readonly runtimes: string
  readonly share: string
  readonly tls: string
  /** Authorities that prove other hosts, for components that talk to them. */
  readonly authorities: string
  readonly secretsFile: string
  readonly applied: string
  readonly processes: string
  readonly manifest: string
  readonly madeUser: string
  /** Place and user of the components: the name of a service manager, and a user name. */
  readonly account: string
  /** Record of changes, one per line, written only by deployments. */
  readonly deployments: string
  /** Snapshot of a run that has not succeeded yet. */
  readonly snapshot: string
  /** Way back of a run that has not confirmed the host yet (--confirm-within). */
  readonly confirm: string
  /** Written by a host that went back by itself. */
  readonly wentBack: string
  readonly settings: (component: Component) => string
  /** Process started without systemd: pid, start time, boot. */
  readonly pidFile: (component: Component) => string
  readonly appliedFile: (component: Component) => string
}

/** Returns the paths of one installation. `root` is absolute and has no trailing slash. */
export function layoutOf(root: string): Layout {
  const share = `${root}/share`
  return {
    root,
    releases: `${root}/releases`,
    current: `${root}/current`,
    runtimes: `${root}/runtimes`,
    share,
    tls: `${share}/tls`,
    authorities: `${share}/tls/authorities.pem`,
    secretsFile: `${share}/secrets.json`,
    applied: `${share}/applied`,
    processes: `${share}/processes`,
    manifest: `${share}/installation.json`,
    madeUser: `${share}/made-user`,
    account: `${share}/account`,
    deployments: `${root}/deployment.jsonl`,
    snapshot: `${root}/.before`,
    confirm: `${root}/.confirm`,
    wentBack: `${root}/.went-back`,
    settings: (component) => `${share}/${component}.json`,
    pidFile: (component) => `${share}/processes/${component}`,
    appliedFile: (component) => `${share}/applied/${component}`,
  }
}

/** Returns every folder of an installation except its root, parents first; all belong to the deployment. */
export function installationDirectories(layout: Layout): readonly string[] {
  return [layout.releases, layout.runtimes, layout.share, layout.tls, layout.applied, layout.processes]
}

/** Maximum length of a user name (useradd(8)). */
const longestUserName = 32

/** Returns the default system user of a cluster's components: one per cluster, so that two can share a host. */
export function clusterUser(cluster: string): string {
  const name = clusterPrefix(cluster)
  return name.length <= longestUserName ? name : `${name.slice(0, 23)}-${sha256(cluster).slice(0, 8)}`
}

/** Returns the prefix of a cluster's folders and services, so that two clusters can share a host. */
export const clusterPrefix = (cluster: string): string => `muster-${cluster}`

/**
 * Absolute paths that the service user writes. The folders belong to that user, their parents to root. Root names
 * each file but opens none; tools that run as the service user do.
 */
export type ServiceData = {
  readonly place: ServiceManagerName
  /** All folders, each once. */
  readonly folders: readonly string[]
  /** Folders of the user file, of the states, and of the logs. */
  readonly users: string
  readonly state: string
  readonly log: string
  /** Folder of the sockets; under systemd it is root's, with a folder of each unit in it. */
  readonly run: string
  readonly usersFile: string
  /** State that calls changed in a manager or a connector. */
  readonly stateFile: (component: Component) => string
  /** All files that a component makes in the folder of the states; a manager has its records of the runs of databases beside it. */
  readonly stateFiles: (component: Component) => readonly string[]
  readonly auditFile: (component: Component) => string
  /** Output of a component without systemd. */
  readonly logFile: (component: Component) => string
  readonly socket: (component: Component) => string
}

export function dataIn(
  place: ServiceManagerName,
  at: Pick<ServiceData, 'folders' | 'users' | 'state' | 'log' | 'run'> & {
    readonly socket?: ServiceData['socket']
  },
): ServiceData {
  const { users, state, log, run } = at
  return {
    place,
    usersFile: `${users}/users.json`,
    stateFile: (component) => `${state}/${component}.json`,
    stateFiles: (component) => [
      `${state}/${component}.json`,
      ...(component === 'manager' ? [`${state}/${component}.runs.json`] : []),
    ],
    auditFile: (component) => `${log}/${component}.audit.jsonl`,
    logFile: (component) => `${log}/${component}.log`,
    socket: (component) => `${run}/${component}.sock`,
    ...at,
  }
}
