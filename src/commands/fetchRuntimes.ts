import type { CommandContext } from '../cli/context.ts'
import type { Emit } from '../deployment/events.ts'
import type { PackedRuntime, SentRuntime } from '../deployment/runtime/choose.ts'
import { fetchRuntime } from '../deployment/runtime/fetch.ts'
import type { Architecture } from '../deployment/runtime/pinned.ts'
import { sha256 } from '../deployment/sha256.ts'
import type { PreparedRun } from './prepareRun.ts'

/** Fetches each runtime that a host lacks, once, before any host is touched. */
export async function fetchRuntimes(options: {
  readonly context: CommandContext
  readonly run: PreparedRun
  readonly runtimes: Map<string, PackedRuntime>
  readonly emit: Emit
}): Promise<void> {
  const { context, run, runtimes, emit } = options
  const wanted = new Map<string, SentRuntime>()
  for (const { target, plan } of run.planned) {
    const { runtime } = target
    const due = plan.steps.some(({ step }) => step.id === 'runtime')
    if (due && runtime.kind === 'sent') wanted.set(runtime.id, runtime)
  }
  const bytesOf = async (architecture: Architecture): Promise<Buffer> =>
    run.runtimeFile ?? (await fetchRuntime({ architecture, env: context.env, signal: context.signal }))
  const fetched = new Map<Architecture, PackedRuntime>()
  for (const [id, { architecture }] of wanted) {
    if (run.runtimeFile === undefined) emit({ type: 'notice', message: `getting the runtime ${id}` })
    const packed = fetched.get(architecture) ?? withDigest(await bytesOf(architecture))
    fetched.set(architecture, packed)
    runtimes.set(id, packed)
  }
}

const withDigest = (bytes: Buffer): PackedRuntime => ({ bytes, sha256: sha256(bytes) })
