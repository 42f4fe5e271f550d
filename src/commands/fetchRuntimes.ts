import type { CommandContext } from '../cli/context.ts'
import type { Emit } from '../deployment/events.ts'
import type { PackedRuntime, SentRuntime } from '../deployment/runtime/choose.ts'
import { fetchRuntime } from '../deployment/runtime/fetch.ts'
import type { Architecture } from '../deployment/runtime/pinned.ts'
import { sha256 } from '../deployment/sha256.ts'
import type { PlannedTarget } from './decideInstall.ts'

/** Fetches each runtime that a host lacks, once, before any host is touched. */
export async function fetchRuntimes(options: {
  readonly context: CommandContext
  readonly planned: readonly PlannedTarget[]
  /** The operator's --runtime-file. */
  readonly packed: Buffer | undefined
  readonly runtimes: Map<string, PackedRuntime>
  readonly emit: Emit
}): Promise<void> {
  const { context, planned, packed, runtimes, emit } = options
  const wanted = new Map<string, SentRuntime>()
  for (const { target, plan } of planned) {
    const { runtime } = target
    const due = plan.steps.some(({ step }) => step.id === 'runtime')
    if (due && runtime.kind === 'sent') wanted.set(runtime.id, runtime)
  }
  const bytesOf = async (architecture: Architecture): Promise<Buffer> =>
    packed ?? (await fetchRuntime({ architecture, env: context.env, signal: context.signal }))
  const fetched = new Map<Architecture, PackedRuntime>()
  for (const [id, { architecture }] of wanted) {
    if (packed === undefined) emit({ type: 'notice', message: `getting the runtime ${id}` })
    const sent = fetched.get(architecture) ?? withDigest(await bytesOf(architecture))
    fetched.set(architecture, sent)
    runtimes.set(id, sent)
  }
}

const withDigest = (bytes: Buffer): PackedRuntime => ({ bytes, sha256: sha256(bytes) })
