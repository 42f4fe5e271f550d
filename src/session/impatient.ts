import type { ClusterConfig } from '../config/model.ts'

/** Milliseconds after which a host that does not answer counts as unreachable for who only looks. */
const patience = 6_000

/** The same hosts, none of which is waited for longer than a person who looks wants to wait. */
export const impatient = <Cluster extends ClusterConfig>(config: Cluster): Cluster => ({
  ...config,
  hosts: config.hosts.map((host) => ({
    ...host,
    ssh: { ...host.ssh, timeout: Math.min(host.ssh.timeout ?? patience, patience) },
  })),
})
