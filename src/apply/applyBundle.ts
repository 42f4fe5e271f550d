import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { isAddress } from '../base/address.ts'
import { isProcessRunning, thisProcess } from '../base/processIdentity.ts'
import { sha256 } from '../base/sha256.ts'
import { leafFacts } from '../certificates/certificateFacts.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { lineLayout } from '../cli/terminal.ts'
import { UsageError } from '../cli/usageError.ts'
import { certificateNamesOf } from '../deployment/desired/certificateNames.ts'
import type { Emit } from '../deployment/events.ts'
import { execute } from '../deployment/execution/execute.ts'
import type { HostWork } from '../deployment/execution/hostRun.ts'
import { gatherFacts } from '../deployment/facts/gather.ts'
import type { HostFacts } from '../deployment/facts/hostFacts.ts'
import { failureOf } from '../deployment/hostFailure.ts'
import { preview } from '../deployment/hostPlan.ts'
import { type Layout, layoutOf } from '../deployment/layout.ts'
import { lockingTransport } from '../deployment/lock/lockingTransport.ts'
import { runId } from '../deployment/lock/runOwner.ts'
import { installPlan } from '../deployment/plans/installPlan.ts'
import { uninstallPlan } from '../deployment/plans/uninstallPlan.ts'
import { installationProblems } from '../deployment/preflight/checks.ts'
import { spaceProblems } from '../deployment/preflight/diskCheck.ts'
import { isNewer, nameParts } from '../deployment/releases/chooseRelease.ts'
import { identityPath } from '../deployment/render/applyScript.ts'
import type { BundleDescription } from '../deployment/render/bundleDescription.ts'
import { bundleTarget, checkedHost } from '../deployment/render/bundleTarget.ts'
import { createRecorder, type Recorder } from '../deployment/runs/recorder.ts'
import { takeOverScript } from '../deployment/snapshot/confirmWithin.ts'
import { installationSnapshot } from '../deployment/snapshot/installationSnapshot.ts'
import { StepError } from '../deployment/stepError.ts'
import { untrustedFolder } from '../deployment/trustedFolder.ts'
import { verifyHost } from '../deployment/verifyHost.ts'
import { failuresText } from '../output/deployment/failureText.ts'
import { linesAfterPlan } from '../output/deployment/logLines.ts'
import { planText } from '../output/deployment/plan.ts'
import { connectLocal } from '../transport/local.ts'
import type { Transport } from '../transport/transport.ts'
import { type BundleSums, openBundle, readDescription, readNode, readSums } from './openBundle.ts'
import { otherInstallation } from './otherInstallation.ts'

type Options = {
  readonly context: CommandContext
  /** Folder of the unpacked bundle. */
  readonly folder: string
  readonly sums: BundleSums
  readonly description: BundleDescription
  readonly identity: string
  readonly check: boolean
  readonly allowOlder: boolean
  readonly uninstall: boolean
}

/** Parses the words of `apply`, and reads what its bundle is. Throws a `UsageError` or a `StepError`. */
function readOptions(folder: string, words: readonly string[], context: CommandContext): Options {
  const { identity: given, check, uninstall, sums: vouched, 'allow-older': allowOlder } = parseWords(words)
  const sums = readSums(folder, vouched)
  const description = readDescription(folder, sums)
  const identity = given ?? identityPath(description.cluster)
  return { context, folder, sums, description, identity, check, uninstall, allowOlder }
}

function parseWords(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        identity: { type: 'string' },
        sums: { type: 'string' },
        check: { type: 'boolean', default: false },
        'allow-older': { type: 'boolean', default: false },
        uninstall: { type: 'boolean', default: false },
      },
      strict: true,
      allowPositionals: false,
    }).values
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}`, 'See ./apply --help.')
  }
}

/**
 * Brings this machine to the state of a bundle with the steps of `muster install`, verifies the logins, and restores
 * the previous state if that fails; or removes the installation. Returns the exit code.
 */
export async function applyBundle(
  context: CommandContext,
  [folder = '', ...words]: readonly string[],
): Promise<ExitCode> {
  const { stderr } = context
  try {
    return await run(readOptions(folder, words, context))
  } catch (error) {
    if (error instanceof UsageError) {
      stderr.write(`error: ${error.message}\n  fix: ${error.fix}\n`)
      return exitCodes.usage
    }
    const host = error instanceof StepError ? error.host : 'this machine'
    stderr.write(failuresText([{ host, failure: failureOf(error) }], lineLayout(context, stderr)))
    stderr.write('Nothing was changed.\n')
    return error instanceof StepError && error.code === 'locked' ? exitCodes.locked : exitCodes.failed
  }
}

async function run(options: Options): Promise<ExitCode> {
  const { context, description, check } = options
  const { name, installDirectory } = description.host
  const operation = options.uninstall ? 'apply --uninstall' : 'apply'
  const now = context.now()
  const id = runId(now, randomBytes(3).toString('hex'))
  const owner = { id, operation, cluster: description.cluster, ...thisProcess() }
  const recorder = createRecorder({ owner, version: description.muster, now: context.now })
  recorder.observe({ type: 'run-started', run: id, operation, cluster: description.cluster, hosts: [name] })
  const layout = layoutOf(installDirectory)
  const record = { manifest: layout.manifest, path: layout.deployments }
  const connected = await connectLocal({ host: name, env: context.env })
  let begun = false
  const transport = check
    ? connected
    : lockingTransport(connected, {
        ...{ installDirectory, owner, runs: isProcessRunning, hasLockOptions: false },
        beforeNext: () => recorder.pending(name, record),
        takeOver: () => (begun ? takeOverScript({ cluster: description.cluster, layout }) : ''),
      })
  try {
    const facts = await factsOf(transport, { description, layout })
    const { work, notes } = options.uninstall
      ? removal(transport, { description, layout, facts })
      : await installation(transport, { ...options, facts })
    const plan = { ...work, address: description.host.address }
    context.stdout.write(
      `${planText({ cluster: description.cluster, notes, plans: [plan], ...lineLayout(context, context.stdout) })}\n`,
    )
    if (check) return plan.steps.length > 0 ? exitCodes.changes : exitCodes.ok
    begun = true
    return await executeWork(work, { context, recorder })
  } finally {
    await transport.close()
  }
}

/** Reads the facts of this host. Throws a `StepError` for a folder that others could replace. */
async function factsOf(
  transport: Transport,
  { description, layout }: { readonly description: BundleDescription; readonly layout: Layout },
): Promise<HostFacts> {
  const { cluster, host } = description
  const user = host.user === undefined ? {} : { user: host.user }
  const facts = await gatherFacts(transport, { cluster, layout, ...user, hostStores: [] })
  if (facts.untrusted !== undefined) throw untrustedFolder(host, facts.untrusted)
  return facts
}

type Decided = { readonly work: HostWork; readonly notes: readonly string[] }

function removal(
  transport: Transport,
  {
    description,
    layout,
    facts,
  }: { readonly description: BundleDescription; readonly layout: Layout; readonly facts: HostFacts },
): Decided {
  const { cluster, host } = description
  // A package whose installation was refused must be removable, and leaves the installation that is there.
  const other = otherInstallation(description, facts)
  if (other !== undefined) {
    return { work: { host: host.name, transport, steps: [] }, notes: [`${other.message}; it stays`] }
  }
  const steps = preview(uninstallPlan({ cluster, layout, facts }), facts)
  return { work: { host: host.name, transport, steps }, notes: [] }
}

async function installation(
  transport: Transport,
  options: Options & { readonly facts: HostFacts },
): Promise<Decided> {
  const { context, folder, sums, description, facts } = options
  const { cluster, host } = description
  const other = otherInstallation(description, facts)
  if (other !== undefined) throw other
  refuseOlder(options)
  const target = bundleTarget(await openBundle(folder, options), facts)
  const checked = checkedHost(description, target)
  const [problem] = installationProblems({ cluster, host: checked, facts })
  if (problem !== undefined) throw problem
  const chain = target.tls.find(({ path }) => path === `${target.layout.tls}/chain.pem`)
  const leaf = leafFacts(chain?.content.toString() ?? '', context.now())
  if (leaf !== undefined && Date.parse(leaf.notAfter) < context.now().getTime()) {
    throw new StepError({
      host: host.name,
      code: 'bundle-expired',
      message: `the certificate of the bundle expired on ${leaf.notAfter.slice(0, 10)}, by the clock of this host`,
      fix: 'Render the bundle again, or correct the clock.',
    })
  }
  const packed = () => {
    const bytes = gzipSync(readNode(folder, description, sums), { level: 1 })
    return { bytes, sha256: sha256(bytes) }
  }
  const steps = preview(installPlan({ target, packed }), facts)
  const [full] = spaceProblems({ host: checked, facts, steps })
  if (full !== undefined) throw full
  const allowed = new Set(target.components.flatMap(({ settings }) => settings.allowedHosts))
  const unknown = certificateNamesOf(checked, facts).all.filter((name) => !allowed.has(name))
  const elsewhere = isAddress(host.address) && !facts.addresses.includes(host.address)
  return {
    work: {
      ...{ host: host.name, transport, steps },
      verify: () => verifyHost(transport, target),
      snapshot: installationSnapshot(target),
    },
    notes: [
      ...(elsewhere ? [`this machine does not have the address ${host.address} of ${host.name}`] : []),
      ...(unknown.length === 0
        ? []
        : [`this machine is also ${unknown.join(', ')}, which \`muster install\` would add to its names`]),
    ],
  }
}

/** Throws a `StepError` if the host has a newer release than the bundle. */
function refuseOlder({
  description: { host, release },
  facts,
  allowOlder,
}: Pick<Options, 'description' | 'allowOlder'> & { readonly facts: HostFacts }): void {
  const { currentRelease } = facts.installation
  if (allowOlder || currentRelease === undefined) return
  if (!isNewer(nameParts(currentRelease).version, release.version)) return
  throw new StepError({
    host: host.name,
    code: 'older-bundle',
    message: `the host runs release ${currentRelease}, which is newer than ${release.id} of the bundle`,
    fix: 'Render the bundle with the newer muster. To go back on purpose, add --allow-older.',
  })
}

async function executeWork(
  work: HostWork,
  { context, recorder }: { readonly context: CommandContext; readonly recorder: Recorder },
): Promise<ExitCode> {
  const { stdout, stderr, signal } = context
  const lineOf = linesAfterPlan()
  const emit: Emit = (event) => {
    recorder.observe(event)
    if (event.type === 'host-failed') stderr.write(failuresText([event], lineLayout(context, stderr)))
    else stdout.write(lineOf(event) ?? '')
  }
  const [outcome] = await execute({ hosts: [work], emit, signal, clock: () => performance.now() })
  if (outcome === undefined || outcome.result === 'failed') return exitCodes.failed
  if (signal.aborted && outcome.result === 'stopped') {
    stderr.write('Stopped between two steps; run ./apply again to continue.\n')
    return exitCodes.interrupted
  }
  if (outcome.result === 'changed' || outcome.proved !== undefined) {
    stdout.write(`${work.host}: ${outcome.proved ?? 'done'}\n`)
  }
  return outcome.result === 'changed' || outcome.result === 'unchanged' ? exitCodes.ok : exitCodes.failed
}
