import { isDeepStrictEqual } from 'node:util'
import { listOf } from '../base/words.ts'
import type { CommandContext } from '../cli/context.ts'
import type { HostConfig } from '../config/model.ts'
import { recordedMachines, renameBack } from '../deployment/hostIdentity.ts'
import { installedSet } from '../deployment/installedSet.ts'
import { layoutOf } from '../deployment/layout.ts'
import { type ClusterState, installedNames } from '../deployment/state/clusterState.ts'
import { closeAll, installedFactsOnly, surveyHosts } from '../deployment/survey.ts'
import { connectHost } from './connectHost.ts'
import { reportLeftClusters } from './leftClusters.ts'
import { namesOf, type SelectedCluster, withAllHosts } from './selectTargets.ts'
import { withShortTimeout } from './surveyReadOnly.ts'

/** Returns the names of hosts that were installed and that the file no longer has, sorted. */
export function leftHosts(config: SelectedCluster, state: ClusterState): readonly string[] {
  const there = namesOf(withAllHosts(config).hosts)
  return installedNames(state).filter((name) => !there.includes(name))
}

type Around = {
  readonly context: CommandContext
  readonly config: SelectedCluster
  readonly state: ClusterState
}

/**
 * Prints a note for each host that left the file, with what still runs there and how to end it; returns them. Also names
 * clusters that left the files of the folder.
 */
export async function reportLeftHosts(around: Around): Promise<readonly LeftHost[]> {
  const { cluster } = around.config
  await reportLeftClusters(around.context, around.config)
  const left = await askAllLeft(around)
  for (const one of left) {
    around.context.stderr.write(`note: ${one.name} of ${cluster} left the file. ${one.what} ${endOf(one)}\n`)
  }
  return left
}

/** Asks all hosts that left the file. */
export const askAllLeft = (around: Around): Promise<readonly LeftHost[]> =>
  askLeftHosts(around, leftHosts(around.config, around.state))

/** Returns how to end it that a host which left the file is known. */
export const endOf = ({ name, is, renamed }: LeftHost): string => {
  if (is === 'clean') return `Forget it: muster forget ${name}`
  if (is === 'installed' && renamed !== undefined)
    return `${renamed} has its address and install-directory. To rename it: ${renameBack(name)}, then rename and install again`
  return `To take it out: muster install --prune. If it is gone for good: muster forget ${name}`
}

/** A host that left the file: `clean` if nothing of the cluster is installed there any more. */
export type LeftHost = {
  readonly name: string
  readonly is: 'installed' | 'clean' | 'unknown'
  /** A sentence about what runs there. */
  readonly what: string
  /** Host of the file with the same address and install-directory. */
  readonly renamed?: string
}

/**
 * Returns the host of the file that has the place of one that left it: the same address, way and install-directory. What
 * is installed there is that host's as soon as it was installed.
 */
export function hostInPlaceOf(
  name: string,
  { config, state }: Pick<Around, 'config' | 'state'>,
): HostConfig | undefined {
  const [way, folder] = [state.ways.get(name), state.folders.get(name)]
  return withAllHosts(config).hosts.find(
    ({ connection, address, installDirectory, ssh }) =>
      connection === 'ssh' &&
      address === way?.address &&
      installDirectory === folder &&
      ssh.port === way.ssh.port &&
      isDeepStrictEqual(ssh.jump, way.ssh.jump),
  )
}

/** Asks hosts that left the file for what still runs there. Changes nothing; one that cannot be asked delays no other. */
export async function askLeftHosts(
  { context, config, state }: Around,
  names: readonly string[],
): Promise<readonly LeftHost[]> {
  const hosts = waysTo(names, { config, state })
  const survey = await surveyHosts({
    config: withShortTimeout({ ...config, hosts }),
    scope: { facts: installedFactsOnly.facts },
    connect: (host) => connectHost(context, host),
    forks: context.forks,
    emit: () => {},
    machines: recordedMachines(state),
    clock: () => performance.now(),
  })
  try {
    return names.map((name): LeftHost => {
      const seen = survey.reached.find(({ host }) => host.name === name)
      if (seen === undefined) {
        const failure = survey.unreachable.find(({ host }) => host.name === name)?.failure
        if (failure?.code === 'other-installation')
          return { name, is: 'clean', what: `Nothing of it is installed there: ${failure.message}.` }
        const reason = failure?.message ?? unknownWay
        return {
          name,
          is: 'unknown',
          what: `What still runs there is unknown: ${reason}. It may serve clients and accept the users and passwords of its last installation.`,
        }
      }
      const { host, facts } = seen
      const { cluster } = config
      const { components } = installedSet({ cluster, layout: layoutOf(host.installDirectory), facts })
      const running = components.filter((one) => facts.services.get(one)?.state === 'running')
      if (components.length === 0) return { name, is: 'clean', what: 'Nothing of it is installed there.' }
      const what =
        running.length === 0
          ? `Its ${listOf(components)} at ${host.address} ${components.length === 1 ? 'does' : 'do'} not run, but may start again.`
          : `Its ${listOf(running)} at ${host.address} still ${running.length === 1 ? 'runs' : 'run'}, with the users and passwords of the last installation.`
      const renamed = hostInPlaceOf(name, { config, state })?.name
      return { name, is: 'installed', what, ...(renamed !== undefined && { renamed }) }
    })
  } finally {
    await closeAll(survey)
  }
}

/** Reason why a host that left the file is not reached although nobody tried. */
export const unknownWay = 'the state directory does not know how to reach it'

/**
 * Returns the hosts among those that left the file whose way the state directory knows. `asksForSudo`: one that becomes
 * root by sudo gets the password that is typed for the hosts of the file, if it is.
 */
export const waysTo = (
  names: readonly string[],
  around: Pick<Around, 'config' | 'state'> & { readonly asksForSudo?: true },
): readonly HostConfig[] => names.flatMap((name) => wayTo(name, around) ?? [])

/** Undefined for a host that no SSH reached. */
function wayTo(
  name: string,
  { config, state, asksForSudo }: Parameters<typeof waysTo>[1],
): HostConfig | undefined {
  const [way, installDirectory] = [state.ways.get(name), state.folders.get(name)]
  const [known] = config.hosts
  if (way === undefined || installDirectory === undefined || known === undefined) return undefined
  const { via: _, ...rest } = known
  const { ssh } = way
  const asks = asksForSudo === true && ssh.become && known.ssh.becomePassword === 'ask'
  return {
    ...{ ...rest, name, connection: 'ssh', installDirectory, apis: [], users: [] },
    address: way.address,
    ssh: asks ? { ...ssh, becomePassword: 'ask' } : ssh,
  }
}
