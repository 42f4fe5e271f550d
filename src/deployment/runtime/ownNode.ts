import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isSea } from 'node:sea'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { Architecture } from './pinnedRuntime.ts'

/** Node.js that runs muster itself. */
export type OwnNode = {
  readonly path: string
  readonly version: string
  /** muster's single executable, which is the runtime of hosts, too. */
  readonly single?: { readonly sha256: string; readonly architecture: Architecture }
}

/** The running program's file, also after somebody replaced or removed it (proc(5)). */
const running = '/proc/self/exe'

/** Describes the Node.js that runs muster; the single executable is read once for its digest. */
export async function readOwnNode(): Promise<OwnNode> {
  const { execPath: path, version } = process
  if (!isSea()) return { path, version }
  const hash = createHash('sha256')
  await pipeline(createReadStream(running, { highWaterMark: 1024 * 1024 }), hash)
  const architecture = process.arch === 'arm64' ? 'arm64' : 'x64'
  return { path, version, single: { sha256: hash.digest('hex'), architecture } }
}

/** Returns the single executable, packed for hosts: quickly, since it is packed for each run that sends it. */
export const packOwnNode = async (): Promise<Buffer> =>
  promisify(gzip)(await readFile(running), { level: constants.Z_BEST_SPEED })
