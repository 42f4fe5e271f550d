import type { CommandContext } from '../../cli/context.ts'
import type { SentRuntime } from '../../deployment/runtime/chooseRuntime.ts'
import { fetchRuntime } from '../../deployment/runtime/fetchRuntime.ts'
import { packOwnNode } from '../../deployment/runtime/ownNode.ts'
import type { InstallSources } from './decideInstall.ts'

/**
 * Returns the bytes of a chosen runtime: the operator's --runtime-file, muster's single executable, or the pinned
 * Node.js from the cache or npm. `onFetch` is called before the last.
 */
export async function packedRuntime(
  { id, architecture, sha256 }: SentRuntime,
  {
    context,
    sources,
    onFetch,
  }: {
    readonly context: CommandContext
    readonly sources: Pick<InstallSources, 'ownNode' | 'runtimeFile'>
    readonly onFetch?: (message: string) => void
  },
): Promise<Buffer> {
  const { ownNode, runtimeFile } = sources
  if (sha256 === runtimeFile?.sha256) return runtimeFile.packed
  if (sha256 === ownNode.single?.sha256) return packOwnNode()
  onFetch?.(`fetching the runtime ${id}`)
  const { env, signal } = context
  return fetchRuntime({ architecture, env, signal, isSingle: ownNode.single !== undefined })
}
