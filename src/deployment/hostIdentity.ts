import { quote } from '../base/shellWords.ts'
import type { HostConfig } from '../config/model.ts'
import type { Transport } from '../transport/transport.ts'
import type { InstallationFacts } from './facts/hostFacts.ts'
import { layoutOf } from './layout.ts'
import { parseManifest } from './manifest.ts'
import type { ClusterState } from './state/clusterState.ts'
import { StepError } from './stepError.ts'
import { changeableFunction, trustedRoot, untrustedFolder } from './trustedFolder.ts'

/** The install-directory holds the installation of another cluster or host: no command may touch it. */
export function otherInstallation(options: {
  readonly cluster: string
  readonly host: HostConfig
  readonly facts: { readonly installation: Pick<InstallationFacts, 'manifest'> }
}): StepError | undefined {
  const { cluster, host, facts } = options
  const { manifest } = facts.installation
  const installed = manifest === undefined ? undefined : parseManifest(manifest)
  if (installed === undefined) return undefined
  if (installed.cluster === cluster && installed.host === host.name) return undefined
  return new StepError({
    host: host.name,
    code: 'other-installation',
    message: `${host.installDirectory} holds the installation of host ${installed.host} of cluster ${installed.cluster}`,
    fix: 'Choose another install-directory, or uninstall that one with its own file first.',
  })
}

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

/**
 * Asks a host that was reached over SSH who it is, in one round trip, for commands that read no facts. Rejects with a
 * `StepError`, code `other-machine`, where it is not the machine that was installed, or `install-directory-untrusted`,
 * and with a `TransportError`.
 */
export async function mustBeOwnMachine(
  transport: Transport,
  { host, machines }: { readonly host: HostConfig; readonly machines: Machines },
): Promise<void> {
  // Whatever this machine is, it is meant.
  if (host.connection !== 'ssh') return
  const { manifest } = layoutOf(host.installDirectory)
  const { stdout } = await transport.run(
    `root=${quote(host.installDirectory)}
${changeableFunction}
printf '%s\\n' "$(cat /etc/machine-id 2>/dev/null)"
${trustedRoot(`printf '\\n%s\\n' "$(printf %s "$found" | base64 -w0)"; exit 0`)}
base64 -w0 ${quote(manifest)} 2>/dev/null; exit 0`,
  )
  const [machineId = '', manifestText = '', untrusted = ''] = stdout
    .raw()
    .split('\n', 3)
    .map((line, index) => (index === 0 ? line : decode(line)))
  if (untrusted !== '') throw untrustedFolder(host, untrusted)
  const installed = manifestText === '' ? {} : { manifest: manifestText }
  const other = otherMachine({ host, facts: { machineId, installation: installed }, machines })
  if (other !== undefined) throw other
}

const decode = (encoded: string): string => Buffer.from(encoded, 'base64').toString('utf8')
