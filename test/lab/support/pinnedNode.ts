import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { fetchRuntime } from '../../../src/deployment/runtime/fetchRuntime.ts'
import { labFolder } from './folders.ts'

/** Where the operators of the lab keep downloads, so that the runtime is fetched once for all runs. */
export const operatorCache = (): string => join(labFolder(), 'operator-cache')

/** The Node.js binary that an installation sends to hosts of this machine's architecture. */
export async function pinnedNode(): Promise<Buffer> {
  const packed = await fetchRuntime({
    architecture: process.arch === 'arm64' ? 'arm64' : 'x64',
    env: { ...process.env, XDG_CACHE_HOME: operatorCache() },
    signal: new AbortController().signal,
  })
  return promisify(gunzip)(packed)
}
