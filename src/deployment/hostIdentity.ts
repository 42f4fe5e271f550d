import { quote } from '../base/shellWords.ts'
import type { HostConfig } from '../config/model.ts'
import type { Transport } from '../transport/transport.ts'
import type { InstallationFacts } from './facts/hostFacts.ts'
import { layoutOf } from './layout.ts'
import { parseManifest } from './manifest.ts'
import type { ClusterState } from './state/clusterState.ts'
import { StepError } from './stepError.ts'
import { changeableFunction, requireTrustedRoot, untrustedFolder } from './trustedFolder.ts'

/** Reports an install-directory that holds the installation of another cluster or host; no command may change it. */
export function foreignInstallation(options: {
  readonly cluster: string
  readonly host: Pick<HostConfig, 'name' | 'installDirectory'>
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
    fix: fixFor({ cluster, host: host.name }, installed),
  })
}

/** Recorded machines of a cluster's hosts. */
export type RecordedMachines = {
  /** Machine-id of each host's installation, by host name. */
  readonly recorded: ReadonlyMap<string, string>
  /** Install-directory of each host's installation, by host name. */
  readonly folders: ReadonlyMap<string, string>
  /** Hosts that the operator declared to be replaced by another machine. */
  readonly replaced: readonly string[]
}

/** Returns the machines of a state; `replaced` are the hosts that are now other machines. */
export const recordedMachines = (
  { machines, folders }: Pick<ClusterState, 'machines' | 'folders'>,
  replaced: readonly string[] = [],
): RecordedMachines => ({ recorded: machines, folders, replaced })

type Named = { readonly cluster: string; readonly host: string }

/** Returns what to do about another installation; if one name alone differs, it may be this one before it was renamed. */
function fixFor(named: Named, installed: Named): string {
  const other = 'choose another install-directory, or first uninstall that one with its own file.'
  const again = 'then rename and install again'
  if (installed.cluster === named.cluster)
    return `If ${installed.host} was renamed in the file: ${renameBack(installed.host)}, ${again}. Otherwise ${other}`
  if (installed.host === named.host)
    return `If the cluster was renamed in the file: name it ${installed.cluster} again, run \`muster uninstall\`, ${again}. Otherwise ${other}`
  return `C${other.slice(1)}`
}

/** Returns how to uninstall a host that has another name in the file. */
export const renameBack = (host: string): string =>
  `name it ${host} again, run \`muster uninstall --host ${quote(host)}\``

type Facts = {
  readonly machineId: string
  readonly installation: Pick<InstallationFacts, 'manifest'>
}

export const isMachineId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text)

/**
 * Reports a host whose machine-id differs from the installed one, as when an address was reassigned; no command may
 * change it. A local host is never another machine.
 */
export function machineChanged(options: {
  readonly host: Pick<HostConfig, 'name' | 'address' | 'connection'>
  readonly facts: Facts
  readonly machines: RecordedMachines
}): StepError | undefined {
  const { host, facts, machines } = options
  if (host.connection !== 'ssh' || machines.replaced.includes(host.name)) return undefined
  const { manifest } = facts.installation
  const installed = manifest === undefined ? undefined : parseManifest(manifest)?.machineId
  const known = [machines.recorded.get(host.name), installed].find(
    (id) => id !== undefined && id !== facts.machineId,
  )
  if (known === undefined) return undefined
  const now = isMachineId(facts.machineId) ? `has ${shortId(facts.machineId)}` : 'has none'
  return new StepError({
    host: host.name,
    code: 'other-machine',
    message: `${host.name} is not the machine that was installed: expected machine-id ${shortId(known)}, but the machine at ${host.address} ${now}`,
    fix: `Correct the address in the file if it now belongs to another machine. If ${host.name} was replaced or reinstalled, run once: muster install --replaced ${host.name}`,
  })
}

/** Shortens a machine-id, which should stay private (machine-id(5)); the start is enough to tell two apart. */
const shortId = (id: string): string => `${id.slice(0, 8)}…`

/** Returns the state with the machines, folders and ways of hosts before an installation. */
export function withMachines(
  state: ClusterState,
  surveyed: readonly { readonly host: HostConfig; readonly facts: Facts }[],
): ClusterState {
  const machines = new Map(state.machines)
  const folders = new Map(state.folders)
  const ways = new Map(state.ways)
  for (const { host, facts } of surveyed) {
    folders.set(host.name, host.installDirectory)
    const { becomePassword: _, ...ssh } = host.ssh
    // A secret is for those who run a command, not for a file.
    if (host.connection === 'ssh') ways.set(host.name, { address: host.address, ssh })
    else ways.delete(host.name)
    if (host.connection === 'ssh' && isMachineId(facts.machineId)) machines.set(host.name, facts.machineId)
  }
  return { ...state, machines, folders, ways }
}

/**
 * Checks the identity of a host reached over SSH in one round trip, for commands that read no facts. Rejects with a
 * `StepError`, code `other-machine` or `install-directory-untrusted`, and with a `TransportError`.
 */
export async function requireOwnMachine(
  transport: Transport,
  { host, machines }: { readonly host: HostConfig; readonly machines: RecordedMachines },
): Promise<void> {
  // A local host is always this machine.
  if (host.connection !== 'ssh') return
  const { manifest } = layoutOf(host.installDirectory)
  const { stdout } = await transport.run(
    `root=${quote(host.installDirectory)}
${changeableFunction}
printf '%s\\n' "$(cat /etc/machine-id 2>/dev/null)"
${requireTrustedRoot(`printf '\\n%s\\n' "$(printf %s "$found" | base64 -w0)"; exit 0`)}
base64 -w0 ${quote(manifest)} 2>/dev/null; exit 0`,
  )
  const [machineId = '', manifestText = '', untrusted = ''] = stdout
    .raw()
    .split('\n', 3)
    .map((line, index) => (index === 0 ? line : decode(line)))
  if (untrusted !== '') throw untrustedFolder(host, untrusted)
  const installed = manifestText === '' ? {} : { manifest: manifestText }
  const other = machineChanged({ host, facts: { machineId, installation: installed }, machines })
  if (other !== undefined) throw other
}

const decode = (encoded: string): string => Buffer.from(encoded, 'base64').toString('utf8')
