import { sha256 } from '../../base/sha256.ts'
import type { HostStores } from '../../certificates/hostStores.ts'
import type { ClusterConfig, HostConfig } from '../../config/model.ts'
import { belowRoot, fileDifference } from '../desiredFile.ts'
import type { HostPlan } from '../hostPlan.ts'
import type { ClusterState } from '../state/clusterState.ts'
import type { DesiredFile, Target } from '../target.ts'
import { configurationDigest, factsDigest, servicesDigest } from './digests.ts'
import { madeAtInstall, type SavedHost, type SavedPlan } from './savedPlan.ts'

/** What was planned for some hosts, as it is kept and compared; without any secret. */
export function savedPlanOf(options: {
  readonly config: ClusterConfig & { readonly left: readonly HostConfig[] }
  readonly planned: readonly { readonly target: Target; readonly plan: HostPlan }[]
  /** The state directory as it is: what it has not yet is made at install. */
  readonly state: ClusterState
  /** By host, of `secretMarks`. */
  readonly marks: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** Version of muster. */
  readonly version: string
  /** Of --release. */
  readonly release?: string | undefined
  readonly now: Date
}): SavedPlan {
  const { config, planned, state, marks, version, release, now } = options
  return {
    cluster: config.cluster,
    saved: now.toISOString(),
    muster: version,
    ...(release === undefined ? {} : { release }),
    services: servicesDigest(config),
    left: config.left.map(({ name }) => name),
    hosts: planned.map(({ target, plan }): SavedHost => {
      const { host, facts } = target
      return {
        host: host.name,
        address: host.address,
        machine: sha256(facts.machineId),
        facts: factsDigest(facts),
        configuration: configurationDigest(config, host),
        secrets: marks.get(host.name) ?? {},
        files: filesOf(target, state.hosts.get(host.name)),
        steps: plan.steps.map(({ step, change: { summary, details } }) => ({
          id: step.id,
          phase: step.phase,
          summary,
          details,
        })),
      }
    }),
  }
}

/** Digests of the files that would be written. The one with passwords is left out: marks tell of these. */
function filesOf(target: Target, kept: HostStores | undefined): SavedHost['files'] {
  const { layout, facts, components, tls, host } = target
  const ours = host.tls.keystorePath === undefined && host.tls.truststorePath === undefined
  const known = new Set(kept === undefined ? [] : digestsOf(kept))
  const isMade = (file: DesiredFile): boolean =>
    ours && file.path.startsWith(`${layout.tls}/`) && !known.has(file.sha256)
  const files = [
    ...tls.filter(({ path }) => path !== layout.secretsFile),
    ...components.flatMap(({ settingsFile, unitFile }) => [settingsFile, ...(unitFile ? [unitFile] : [])]),
  ]
  return Object.fromEntries(
    files
      .filter((file) => fileDifference(facts, file, layout.root) !== undefined)
      .map((file) => [belowRoot(file.path, layout.root), isMade(file) ? madeAtInstall : file.sha256]),
  )
}

const digestsOf = ({ keystore, truststore, key, chain }: HostStores): readonly string[] =>
  [keystore, truststore, key.reveal(), chain].map(sha256)
