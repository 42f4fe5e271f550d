import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { fetchRuntime } from '../../../src/deployment/runtime/fetchRuntime.ts'
import { pinnedRuntime } from '../../../src/deployment/runtime/pinnedRuntime.ts'
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

/** The file of that binary that hosts with a Node.js of their own share. */
export async function sharedNode(): Promise<string> {
  const path = join(labFolder(), `node-${pinnedRuntime.version}`)
  if (!existsSync(path)) {
    const begun = `${path}.${process.pid}`
    writeFileSync(begun, await pinnedNode(), { mode: 0o755 })
    renameSync(begun, path)
  }
  return path
}
