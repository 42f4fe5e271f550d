import type { Emit } from '../deployment/events.ts'
import type { SentRuntime } from '../deployment/runtime/choose.ts'
import { fetchRuntime } from '../deployment/runtime/fetch.ts'
import type { Architecture } from '../deployment/runtime/pinned.ts'
import type { CommandContext } from './context.ts'
import type { PreparedRun } from './prepareRun.ts'

/** Fetches each runtime that a host lacks, once, before any host is touched. */
export async function fetchRuntimes(options: {
  readonly context: CommandContext
  readonly run: PreparedRun
  readonly runtimes: Map<string, Buffer>
  readonly emit: Emit
}): Promise<void> {
  const { context, run, runtimes, emit } = options
  const wanted = new Map<string, SentRuntime>()
  for (const { target, plan } of run.planned) {
    const { runtime } = target
    const due = plan.steps.some(({ step }) => step.id === 'runtime')
    if (due && runtime.kind === 'sent') wanted.set(runtime.id, runtime)
  }
  const fetched = new Map<Architecture, Buffer>()
  for (const [id, { architecture }] of wanted) {
    if (run.runtimeFile === undefined) emit({ type: 'notice', message: `getting the runtime ${id}` })
    const packed =
      run.runtimeFile ??
      fetched.get(architecture) ??
      (await fetchRuntime({ architecture, env: context.env, signal: context.signal }))
    fetched.set(architecture, packed)
    runtimes.set(id, packed)
  }
}
