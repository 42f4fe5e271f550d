import type { Component } from '../contracts/component.ts'

/** Absolute paths below the install-directory of a host (deployment.md, "Releases"). */
export type Layout = {
  readonly root: string
  readonly releases: string
  readonly current: string
  readonly runtimes: string
  readonly share: string
  readonly tls: string
  readonly users: string
  readonly usersFile: string
  readonly secretsFile: string
  readonly applied: string
  readonly state: string
  readonly manifest: string
  readonly madeUser: string
  /** One line per change, written by deployments alone: the service user must not be able to lead us elsewhere. */
  readonly deployments: string
  /** Copy of what a run that has not ended well yet found there. */
  readonly before: string
  readonly log: string
  readonly run: string
  readonly settings: (component: Component) => string
  readonly socket: (component: Component) => string
  readonly pidFile: (component: Component) => string
  readonly logFile: (component: Component) => string
  readonly appliedFile: (component: Component) => string
  /** Where a manager or a connector keeps what calls changed; only the component itself ever writes it. */
  readonly stateFile: (component: Component) => string
}

/** Where everything of one installation lies. `root` is absolute and has no trailing slash. */
export function layoutOf(root: string): Layout {
  const share = `${root}/share`
  return {
    root,
    releases: `${root}/releases`,
    current: `${root}/current`,
    runtimes: `${root}/runtimes`,
    share,
    tls: `${share}/tls`,
    users: `${share}/users`,
    usersFile: `${share}/users/users.json`,
    secretsFile: `${share}/secrets.json`,
    applied: `${share}/applied`,
    state: `${share}/state`,
    manifest: `${share}/installation.json`,
    madeUser: `${share}/made-user`,
    deployments: `${root}/deployment.jsonl`,
    before: `${root}/.before`,
    log: `${root}/log`,
    run: `${root}/run`,
    settings: (component) => `${share}/${component}.json`,
    socket: (component) => `${root}/run/${component}.sock`,
    pidFile: (component) => `${root}/run/${component}.pid`,
    logFile: (component) => `${root}/log/${component}.log`,
    appliedFile: (component) => `${share}/applied/${component}`,
    stateFile: (component) => `${share}/state/${component}.json`,
  }
}

/** Name of a component's systemd unit; the cluster is in it so that two clusters can share a host. */
export function unitName(cluster: string, component: Component): string {
  return `muster-${cluster}-${component}.service`
}

/** Folder of the units that an administrator's tools write (systemd.unit(5)). */
export const unitDirectory = '/etc/systemd/system'

/** Every folder of an installation but its root, parents first. */
export function installationDirectories(layout: Layout): readonly string[] {
  return [
    layout.releases,
    layout.runtimes,
    layout.share,
    layout.tls,
    layout.users,
    layout.applied,
    layout.state,
    layout.log,
    layout.run,
  ]
}
