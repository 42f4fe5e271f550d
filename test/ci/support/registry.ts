import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { onceListening } from './onceListening.ts'

/** A registry on loopback that has our package alone, packed as it would be published. */
export type Registry = { readonly url: string; readonly close: () => Promise<void> }

/** Packs the project (built before) and serves it; `folder` keeps the archive. */
export async function startRegistry(folder: string): Promise<Registry> {
  const packed = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
    encoding: 'utf8',
  })
  const archive = readFileSync(join(folder, packed.trim().split('\n').at(-1) ?? ''))
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
  const { name, version } = manifest
  const server = createServer((request, response) => {
    const url = `http://${request.headers.host}`
    if (request.url === `/${name}`) {
      const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
      const dist = { tarball: `${url}/${name}.tgz`, integrity }
      const { devDependencies, scripts, ...published } = manifest
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({
          name,
          'dist-tags': { latest: version },
          versions: { [version]: { ...published, dist } },
        }),
      )
      return
    }
    if (request.url === `/${name}.tgz`) {
      response.end(archive)
      return
    }
    response.statusCode = 404
    response.end('{}')
  })
  const port = await onceListening(server)
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
