import { randomBytes } from 'node:crypto'
import { hasherOf } from '../../accounts/passwordHash.ts'
import { shortListOf } from '../../base/words.ts'
import { exitCodes } from '../../cli/exitCodes.ts'
import { ExitError } from '../../cli/exitError.ts'
import { lineLayout } from '../../cli/terminal.ts'
import { UsageError } from '../../cli/usageError.ts'
import type { HostConfig } from '../../config/model.ts'
import { prepare, type ResolvedSecrets } from '../../deployment/prepare.ts'
import { assumedFacts, renderedConfig } from '../../deployment/render/assumedFacts.ts'
import { type RenderedHost, renderHost } from '../../deployment/render/renderedHost.ts'
import type { Architecture } from '../../deployment/runtime/pinnedRuntime.ts'
import type { ClusterState } from '../../deployment/state/clusterState.ts'
import { lockState } from '../../deployment/state/lockState.ts'
import { saveState } from '../../deployment/state/openState.ts'
import { failuresText } from '../../output/deployment/failureText.ts'
import { withPassphrasePrompt } from '../authorityPassphrase.ts'
import { showGeneratedPasswords } from '../generatedPasswords.ts'
import { readInstallSources } from '../install/decideInstall.ts'
import { packedRuntime } from '../install/packedRuntime.ts'
import { recordCluster } from '../install/recordCluster.ts'
import { type ClusterOptions, openCluster } from '../openCluster.ts'
import { resolveSecrets } from '../resolveSecrets.ts'
import { namesOf, requireHosts, type SelectedCluster } from '../selectTargets.ts'
import { openStateToChange } from '../session.ts'

export type RenderOptions = ClusterOptions & {
  /** Processor of all hosts. */
  readonly architecture: Architecture
  /** Node.js binary or archive in place of the pinned one. */
  readonly runtimeFile: string | undefined
  /** Hosts that are meant to be other machines now. */
  readonly replaced: readonly string[]
}

/** Hosts of a command of `muster render`, and what their engine carries besides. */
type RenderedCluster = {
  readonly config: SelectedCluster
  readonly hosts: readonly RenderedHost[]
  /** Node.js of all hosts, packed with gzip. */
  readonly runtime: Buffer
  /** Machine-id of a host that was installed before, by name. */
  readonly machines: ReadonlyMap<string, string>
}

/**
 * Decides the desired state of every host without reaching one. Secrets, certificates and passwords are those of an
 * installation: it writes them to the state directory, and records the cluster for tapi, so that `muster plan` agrees
 * afterwards. Shows a password that it generates, once. Returns what `ready` returns, which runs before all of this: it
 * throws for what the engine cannot write.
 */
export async function renderCluster<Output>(
  options: RenderOptions,
  ready: (rendered: RenderedCluster) => Promise<Output>,
): Promise<Output> {
  const { context } = options
  const opened = await openCluster(options)
  const { config } = opened
  refuseHosts(config.hosts)
  requireHosts(config, '--replaced', options.replaced)
  const secrets = await resolveSecrets(context, opened)
  const lock = await lockState(config, {
    now: context.now(),
    operation: 'render',
    hosts: namesOf(config.hosts),
  })
  try {
    return await decide({ ...options, config, secrets }, ready)
  } finally {
    await lock.release()
  }
}

async function decide<Output>(
  options: RenderOptions & { readonly config: SelectedCluster; readonly secrets: ResolvedSecrets },
  ready: (rendered: RenderedCluster) => Promise<Output>,
): Promise<Output> {
  const { context, config, secrets, architecture, replaced } = options
  const onDisk = await openStateToChange(context, config)
  const before = withoutMachines(onDisk, replaced)
  const sources = await readInstallSources({ ...options, config, state: before })
  const preparation = await prepare({
    config,
    excluded: config.excluded,
    surveyed: config.hosts.map((host) => ({
      host: renderedConfig(host),
      facts: assumedFacts(host, architecture),
    })),
    state: withPassphrasePrompt(before, options),
    secrets,
    ...sources,
    now: context.now(),
    random: randomBytes,
    hash: hasherOf(context.env),
  })
  if (!preparation.ok) {
    const failures = preparation.problems.map((failure) => ({ host: failure.host, failure }))
    context.stderr.write(failuresText(failures, lineLayout(context, context.stderr)))
    throw new ExitError(exitCodes.failed)
  }
  const [chosen] = preparation.targets.map(({ runtime }) => runtime)
  if (chosen?.kind !== 'sent') throw new Error('a rendered host has no runtime')
  const runtime = await packedRuntime(chosen, { context, sources })
  const { machines } = preparation.state
  const output = await ready({ config, hosts: preparation.targets.map(renderHost), runtime, machines })
  await saveState({ ...config, before: onDisk, after: preparation.state })
  await recordCluster(context, config, preparation)
  const note = (message: string): void => void context.stderr.write(`note: ${message}\n`)
  showGeneratedPasswords(preparation.generated, { context, place: config, note })
  preparation.notes.forEach(note)
  return output
}

/** Forgets the machines of hosts that were replaced: the new ones are unknown. */
const withoutMachines = (state: ClusterState, replaced: readonly string[]): ClusterState => ({
  ...state,
  machines: new Map([...state.machines].filter(([host]) => !replaced.includes(host))),
})

/** Throws a `UsageError` for hosts whose state only muster on the host itself can decide. */
function refuseHosts(hosts: readonly HostConfig[]): void {
  const local = namesOf(hosts.filter(({ connection }) => connection === 'local'))
  if (local.length > 0) {
    throw new UsageError(
      `${shortListOf(local)} is this machine (connection: local): what is installed there depends on it.`,
      'Run `muster install` for it, and exclude it here with --host.',
    )
  }
  const own = namesOf(hosts.filter(({ runtime }) => runtime === 'host'))
  if (own.length > 0) {
    throw new UsageError(
      `runtime is host for ${shortListOf(own)}, but the Node.js of a host is unknown until it is reached.`,
      'Set `runtime: upload` or leave it at auto.',
    )
  }
  const there = namesOf(
    hosts.filter(({ tls: { keystorePath, truststorePath } }) =>
      [keystorePath, truststorePath].some((path) => path?.startsWith('host:')),
    ),
  )
  if (there.length > 0) {
    throw new UsageError(
      `The stores of ${shortListOf(there)} are files of the host (host:), which cannot be read from here.`,
      'Name copies on this machine, or run `muster install` for these hosts.',
    )
  }
}
