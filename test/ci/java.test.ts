import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CertifiedServer, startCertifiedServer, type Truststore } from './support/certifiedServer.ts'

const program = fileURLToPath(new URL('fixtures/Login.java', import.meta.url))

let server: CertifiedServer
beforeAll(async () => {
  server = await startCertifiedServer()
})
afterAll(() => server?.stop())

/** What Java's own HttpClient says of a login, as the program of the fixture prints it. */
function login(more: { host?: string; port?: number; truststore?: Truststore } = {}): Promise<string> {
  const { host = '127.0.0.1', port = server.port, truststore = server.truststore } = more
  const lines = [
    `https://${host}:${port}/api/v2/user/admin`,
    truststore.file,
    truststore.password,
    'admin',
    server.password,
  ]
  return new Promise((resolve, reject) => {
    const child = execFile('java', ['-Dfile.encoding=UTF-8', program], (error, stdout, stderr) => {
      if (error) reject(new Error(`java with its compiler is needed: ${stderr || error.message}`))
      else resolve(stdout.trim())
    })
    child.stdin?.end(lines.map((line) => `${line}\n`).join(''))
  })
}

it("Java's HttpClient logs in with the truststore, and skips no verification", async () => {
  const answer = await login()
  expect(answer).toMatch(/^200 \{/)
  expect(JSON.parse(answer.slice(4)).payload).toEqual({
    user: 'admin',
    pass: '**obfuscated**',
    access: 'full',
  })
})

it('it refuses the certificate with the truststore of another cluster', async () => {
  expect(await login({ truststore: server.otherTruststore })).toMatch(/^refused: .*path/i)
})

it('it refuses the certificate at an address that it does not hold', async () => {
  const relay = createServer((client) => {
    const onward = connect(server.port, '127.0.0.1')
    for (const side of [client, onward]) side.on('error', () => undefined)
    client.pipe(onward).pipe(client)
  })
  await once(relay.listen(0, '127.0.0.2'), 'listening')
  const { port } = relay.address() as AddressInfo
  try {
    expect(await login({ host: '127.0.0.2', port })).toMatch(/^refused: .*127\.0\.0\.2/)
  } finally {
    relay.close()
  }
})
