import { request } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { Secret } from '../../src/secrets/secret.ts'
import { type LocalServer, serveLocally } from '../../src/web/localServer.ts'

const token = 'a'.repeat(43)
let server: LocalServer | undefined

const begin = (): Promise<LocalServer> =>
  serveLocally(({ isOwnHost }) => ({
    handle: (asked, response) => {
      response.writeHead(isOwnHost(asked.headers.host ?? '') ? 200 : 421).end()
    },
    issueToken: () => new Secret(token),
    close: () => {},
  }))

function ask(port: string, path: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers: { Host: host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject)
    sent.end()
  })
}

afterEach(() => server?.close())

describe('the server of muster dashboard', () => {
  it('has a name that no other server of this machine has, and the token where browsers keep it to themselves', async () => {
    server = await begin()
    const first = new URL(server.address().reveal())
    expect(first.hostname).toMatch(/^muster-[0-9a-f]{16}\.localhost$/)
    expect([first.pathname, first.search, first.hash]).toEqual(['/dashboard/', '', `#token=${token}`])
    const other = await begin()
    expect(new URL(other.address().reveal()).hostname).not.toBe(first.hostname)
    await other.close()
  })

  it('answers to its own name and port alone, and below /dashboard alone', async () => {
    server = await begin()
    const { host, port } = new URL(server.address().reveal())
    expect(await ask(port, '/dashboard/', host)).toBe(200)
    expect(await ask(port, '/dashboard/', host.toUpperCase())).toBe(200)
    for (const name of [`127.0.0.1:${port}`, `localhost:${port}`, `evil.example:${port}`])
      expect(await ask(port, '/dashboard/', name)).toBe(421)
    expect(await ask(port, '/', host)).toBe(404)
    expect(await ask(port, '/dashboards', host)).toBe(404)
  })

  it('shows its address to nobody who prints it', async () => {
    server = await begin()
    expect(`${server.address()}`).toBe('[redacted]')
  })
})
