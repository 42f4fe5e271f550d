import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { commandsOf } from '../../support/pages.ts'
import { onceListening } from './onceListening.ts'

/** The packed release of the project, served on loopback. */
export type Release = {
  readonly file: string
  readonly url: string
  readonly sha256: string
  readonly close: () => Promise<void>
}

/** Makes a release of the project (built before) in the folder with the line that docs/guide/ci.md shows, and serves it. */
export async function serveRelease(folder: string): Promise<Release> {
  const source = join(folder, 'source')
  const { files } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const name of ['package.json', 'README.md', 'LICENSE', ...files]) {
    cpSync(name, join(source, name), { recursive: true })
  }
  const line = commandsOf('docs/guide/ci.md').find((shown) => shown.startsWith('npm pack && ')) ?? 'false'
  // What it would build is there already.
  const env = { PATH: process.env.PATH, HOME: folder, npm_config_ignore_scripts: 'true' }
  const printed = execFileSync('bash', ['-c', line], { cwd: source, env, encoding: 'utf8', stdio: 'pipe' })
  const [, sha256 = '', packed = ''] = /^([\da-f]{64}) {2}(\S+)$/m.exec(printed) ?? []
  const file = join(source, packed)
  const bytes = readFileSync(file)
  const server = createServer((_, response) => response.end(bytes))
  const port = await onceListening(server)
  return {
    file,
    url: `http://127.0.0.1:${port}/muster-cluster.tgz`,
    sha256,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
