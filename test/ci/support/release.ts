import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { onceListening } from './onceListening.ts'

/** The packed release of the project, served on loopback. */
export type Release = {
  readonly file: string
  readonly url: string
  readonly sha256: string
  readonly close: () => Promise<void>
}

/** Packs the project (built before) into the folder and serves the file. */
export async function serveRelease(folder: string): Promise<Release> {
  const packed = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
    encoding: 'utf8',
  })
  const file = join(folder, packed.trim().split('\n').at(-1) ?? '')
  const bytes = readFileSync(file)
  const server = createServer((_, response) => response.end(bytes))
  const port = await onceListening(server)
  return {
    file,
    url: `http://127.0.0.1:${port}/muster-cluster.tgz`,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
