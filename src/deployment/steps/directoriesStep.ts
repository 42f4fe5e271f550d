import { quote } from '../../base/shellWords.ts'
import { ownersAndModes } from '../../transport/ownersAndModes.ts'
import type { Transport } from '../../transport/transport.ts'
import { batchSteps } from '../batchSteps.ts'
import { desiredFile, fileDifference, loginOwner, writeFiles } from '../desiredFile.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import { isMachineId } from '../hostIdentity.ts'
import { installationDirectories } from '../layout.ts'
import { manifestText } from '../manifest.ts'
import { runOrThrow } from '../runOrThrow.ts'
import { type Step, writing } from '../step.ts'
import type { DesiredFile, StepTarget } from '../target.ts'

/** Folder of an installation; `owner` as `user:group`. */
export type Directory = { readonly path: string; readonly mode: number; readonly owner: string }

/** Creates the folders of an installation and its manifest. */
export function directoriesStep(target: StepTarget): Step {
  const wanted = directoriesOf(target)
  const manifest = manifestFile(target)
  const differences = (facts: HostFacts): string[] => [
    ...wanted.flatMap((directory) => directoryDifference(facts, directory) ?? []),
    ...[fileDifference(facts, manifest, target.layout.root) ?? []].flat(),
  ]
  const setUp = (
    transport: Transport,
    { missing, facts }: { readonly missing: readonly Directory[]; readonly facts: HostFacts },
  ): Promise<unknown> =>
    runOrThrow(transport, {
      doing: `setting up ${target.layout.root}`,
      fix: 'Make the folder writable, or choose another install-directory.',
      // New folders above the root must be accessible to the service user.
      script: makeDirectories(missing, facts.uid === 0),
    })
  return {
    id: 'directories',
    title: `set up ${target.layout.root}`,
    phase: 'stage',
    batchable: true,
    check: (facts) => {
      // If a folder is new, all of its contents are: one line is enough.
      const outside = target.data.folders.filter((path) => !path.startsWith(`${target.layout.root}/`))
      const details = facts.installation.exists
        ? differences(facts)
        : [target.layout.root, ...outside].map((path) => `${path}: new`)
      return details.length === 0 ? undefined : writing(`set up ${target.layout.root}`, details)
    },
    apply: async (transport, facts) => {
      const missing = wanted.filter((directory) => directoryDifference(facts, directory) !== undefined)
      await batchSteps(transport, (to) => [
        ...(missing.length === 0 ? [] : [setUp(to, { missing, facts })]),
        writeFiles({ transport: to, facts, files: [manifest] }),
      ])
    },
  }
}

/** Returns the manifest of a host. */
export function manifestFile({ cluster, host, layout, facts }: StepTarget): DesiredFile {
  const { machineId } = facts
  const known = isMachineId(machineId) ? { machineId } : {}
  return desiredFile({
    path: layout.manifest,
    content: Buffer.from(manifestText({ version: 1, cluster, host: host.name, ...known })),
    mode: 0o644,
    owner: loginOwner(facts),
  })
}

/**
 * Returns the folders of the deployment, which belong to the login; the service user has folders of its own, defined
 * in its unit.
 */
export function directoriesOf({ layout, data, service, facts }: StepTarget): Directory[] {
  const serviceOwner = `${service.user}:${service.group}`
  return [
    ...[layout.root, ...installationDirectories(layout)].map((path) => ({
      ...{ path, mode: 0o755, owner: loginOwner(facts) },
    })),
    ...data.folders.map((path) => ({
      ...{ path, mode: path === data.state ? 0o700 : 0o750, owner: serviceOwner },
    })),
  ]
}

function directoryDifference(facts: HostFacts, wanted: Directory): string | undefined {
  const is = facts.installation.directories.get(wanted.path)
  if (is === undefined) return `${wanted.path}: new`
  if (is.mode !== wanted.mode) {
    return `${wanted.path}: mode ${is.mode.toString(8)} → ${wanted.mode.toString(8)}`
  }
  return is.owner === wanted.owner ? undefined : `${wanted.path}: owner ${is.owner} → ${wanted.owner}`
}

function makeDirectories(wanted: readonly Directory[], asRoot: boolean): string {
  const changes = ownersAndModes(asRoot ? wanted : wanted.map(({ path, mode }) => ({ path, mode })))
  const all = wanted.map(({ path }) => quote(path)).join(' ')
  return ['set -e', 'umask 022', `mkdir -p ${all}`, ...changes].join('\n')
}
