import type { HostConfig } from '../config/model.ts'
import type { InstallationFacts } from './facts/model.ts'
import { parseManifest } from './manifest.ts'
import type { ClusterState } from './state/clusterState.ts'
import { StepError } from './stepError.ts'

/** What is known of the machines behind the hosts of a cluster. */
export type Machines = {
  /** The machine-id of each host's installation, by host name. */
  readonly recorded: ReadonlyMap<string, string>
  /** The install-directory of each host's installation, by host name. */
  readonly folders: ReadonlyMap<string, string>
  /** Hosts that a person says are meant to be other machines now. */
  readonly replaced: readonly string[]
}

/** The machines of a state; `replaced` are the hosts that are meant to be others now. */
export const recorded = (
  { machines, folders }: Pick<ClusterState, 'machines' | 'folders'>,
  replaced: readonly string[] = [],
): Machines => ({ recorded: machines, folders, replaced })

type Facts = {
  readonly machineId: string
  readonly installation: Pick<InstallationFacts, 'manifest'>
}

/** Whether a text is a machine-id (machine-id(5)). */
export const isMachineId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text)

/**
 * The host is another machine than the one that was installed, as where an address was handed on: no command may
 * take it for ours. A host on this machine is whatever machine this is.
 */
export function otherMachine(options: {
  readonly host: HostConfig
  readonly facts: Facts
  readonly machines: Machines
}): StepError | undefined {
  const { host, facts, machines } = options
  if (host.connection !== 'ssh' || machines.replaced.includes(host.name)) return undefined
  const { manifest } = facts.installation
  const installed = manifest === undefined ? undefined : parseManifest(manifest)?.machineId
  const known = [machines.recorded.get(host.name), installed].find(
    (id) => id !== undefined && id !== facts.machineId,
  )
  if (known === undefined) return undefined
  const now = isMachineId(facts.machineId) ? `has ${short(facts.machineId)}` : 'has none'
  return new StepError({
    host: host.name,
    code: 'other-machine',
    message: `${host.name} is not the machine that was installed: expected machine-id ${short(known)}, but the machine at ${host.address} ${now}`,
    fix: `Correct the address in the file if it now belongs to another machine. If ${host.name} was replaced or reinstalled, run once: muster install --replaced ${host.name}`,
  })
}

/** A machine-id is not for everybody's eyes (machine-id(5)); its beginning tells two apart. */
const short = (id: string): string => `${id.slice(0, 8)}…`

/** The state with the machines and folders of hosts that a run is about to install. */
export function withMachines(
  state: ClusterState,
  surveyed: readonly { readonly host: HostConfig; readonly facts: Facts }[],
): ClusterState {
  const machines = new Map(state.machines)
  const folders = new Map(state.folders)
  for (const { host, facts } of surveyed) {
    folders.set(host.name, host.installDirectory)
    if (host.connection === 'ssh' && isMachineId(facts.machineId)) machines.set(host.name, facts.machineId)
  }
  return { ...state, machines, folders }
}
