import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { Secret } from '../secrets/secret.ts'
import { type DashboardHandler, isDashboardTarget } from './dashboardHandler.ts'
import type { OwnNames } from './requestChecks.ts'

/** A dashboard for the person at this machine. */
export type LocalServer = {
  /** Returns the address of the page with a new one-time token, which is in the part that browsers keep to themselves. */
  address(): Secret
  close(): Promise<void>
}

/** Connections at once: a browser opens six to one name. */
const mostConnections = 100

/**
 * Serves a dashboard over HTTP on 127.0.0.1, at a free port. Its name is a random one below `localhost`, which browsers
 * resolve by themselves (RFC 6761 section 6.3): cookies are for all ports of a name, and servers of other users of this
 * machine have none of this name. Rejects where no port can be opened.
 */
export async function serveLocally(create: (own: OwnNames) => DashboardHandler): Promise<LocalServer> {
  const name = `muster-${randomBytes(8).toString('hex')}.localhost`
  let host = name
  const dashboard = create({ scheme: 'http', isOwnHost: (header) => header.toLowerCase() === host })
  const server = createServer((request, response) => {
    if (isDashboardTarget(request.url ?? '')) dashboard.handle(request, response)
    else response.writeHead(404).end()
  })
  server.maxConnections = mostConnections
  server.headersTimeout = 10_000
  server.requestTimeout = 30_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const bound = server.address()
  if (typeof bound !== 'object' || bound === null) throw new Error('a TCP server has no port')
  host = `${name}:${bound.port}`
  return {
    address: () => new Secret(`http://${host}/dashboard/#token=${dashboard.issueToken().reveal()}`),
    close: async () => {
      dashboard.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
