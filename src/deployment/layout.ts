import { sha256 } from '../base/sha256.ts'
import { type ServiceManagerName, serviceManagerNames } from '../config/model.ts'
import type { Component } from '../contracts/component.ts'

/**
 * Absolute paths below the install-directory of a host that only a deployment writes (trust.md): root reads, runs and
 * follows them, so nobody with fewer rights may own any of these folders. What the service user writes is a
 * `ServiceData`.
 */
export type Layout = {
  readonly root: string
  readonly releases: string
  readonly current: string
  readonly runtimes: string
  readonly share: string
  readonly tls: string
  readonly secretsFile: string
  readonly applied: string
  readonly processes: string
  readonly manifest: string
  readonly madeUser: string
  /** Where the components keep their data and as whom they run: a `DataPlace` and a user name. */
  readonly account: string
  /** One line per change, written by deployments alone. */
  readonly deployments: string
  /** Snapshot of what a run that has not ended well yet found there. */
  readonly snapshot: string
  readonly settings: (component: Component) => string
  /** Process that was started without systemd: pid, start time, boot. */
  readonly pidFile: (component: Component) => string
  readonly appliedFile: (component: Component) => string
}

/** Paths of the files of one installation that a deployment writes. `root` is absolute and has no trailing slash. */
export function layoutOf(root: string): Layout {
  const share = `${root}/share`
  return {
    root,
    releases: `${root}/releases`,
    current: `${root}/current`,
    runtimes: `${root}/runtimes`,
    share,
    tls: `${share}/tls`,
    secretsFile: `${share}/secrets.json`,
    applied: `${share}/applied`,
    processes: `${share}/processes`,
    manifest: `${share}/installation.json`,
    madeUser: `${share}/made-user`,
    account: `${share}/account`,
    deployments: `${root}/deployment.jsonl`,
    snapshot: `${root}/.before`,
    settings: (component) => `${share}/${component}.json`,
    pidFile: (component) => `${share}/processes/${component}`,
    appliedFile: (component) => `${share}/applied/${component}`,
  }
}

/** Every folder of an installation but its root, parents first; all belong to the deployment. */
export function installationDirectories(layout: Layout): readonly string[] {
  return [layout.releases, layout.runtimes, layout.share, layout.tls, layout.applied, layout.processes]
}

/** Longest name of a user (useradd(8)). */
const longestUserName = 32

/** System user of a cluster's components where the file names none: one per cluster, so that two can share a host. */
export function clusterUser(cluster: string): string {
  const name = clusterPrefix(cluster)
  return name.length <= longestUserName ? name : `${name.slice(0, 23)}-${sha256(cluster).slice(0, 8)}`
}

/** Name that folders and services of a cluster begin with, so that two clusters can share a host. */
export const clusterPrefix = (cluster: string): string => `muster-${cluster}`

/**
 * Where the components of a host keep what they write: where their service manager has it, or, until the next
 * installation, where muster 0.1 kept it (`legacy`).
 */
export type DataPlace = ServiceManagerName | 'legacy'

/** All places where the components of a host may keep what they write. */
export const dataPlaces: readonly DataPlace[] = [...serviceManagerNames, 'legacy']

/** Returns true for the word of a `DataPlace`. */
export const isDataPlace = (word: string): word is DataPlace => dataPlaces.some((place) => place === word)

/**
 * Absolute paths of what the service user writes. The folders belong to that user, and their parents to root; so root
 * names each file itself, and opens none of them: tools that do run as the service user.
 */
export type ServiceData = {
  readonly place: DataPlace
  /** All of its folders, each once. */
  readonly folders: readonly string[]
  /** Folders of the user file, of the states, and of the logs. */
  readonly users: string
  readonly state: string
  readonly log: string
  /** Folder of the sockets; under systemd it is root's, with a folder of each unit in it. */
  readonly run: string
  readonly usersFile: string
  /** Calls that changed the state of a manager or a connector. */
  readonly stateFile: (component: Component) => string
  readonly auditFile: (component: Component) => string
  /** Output of a component without systemd. */
  readonly logFile: (component: Component) => string
  readonly socket: (component: Component) => string
}

/** Returns the paths of the service's own files in these folders. */
export function dataIn(
  place: DataPlace,
  at: Pick<ServiceData, 'folders' | 'users' | 'state' | 'log' | 'run'> & {
    readonly socket?: ServiceData['socket']
  },
): ServiceData {
  const { users, state, log, run } = at
  return {
    place,
    usersFile: `${users}/users.json`,
    stateFile: (component) => `${state}/${component}.json`,
    auditFile: (component) => `${log}/${component}.audit.jsonl`,
    logFile: (component) => `${log}/${component}.log`,
    socket: (component) => `${run}/${component}.sock`,
    ...at,
  }
}

/** Returns the paths that muster 0.1 used. */
export function legacyData(root: string): ServiceData {
  const [users, state, log] = [`${root}/share/users`, `${root}/share/state`, `${root}/log`]
  const run = `${root}/run`
  return dataIn('legacy', { folders: [users, state, log, run], users, state, log, run })
}
