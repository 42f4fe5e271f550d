import { once } from 'node:events'
import { mkdirSync, readFileSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunningServer } from '../../src/api/startServer.ts'
import type { CertificateTiming } from '../../src/api/tlsCertificate.ts'
import type { ServerSettings } from '../../src/contracts/serverSettings.ts'
import { fetchAt, portOf } from '../support/https.ts'
import { createServerCertificate, type ServerCertificate } from '../support/serverCertificate.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { certificate as first, settingsIn, start } from '../support/testServer.ts'

const [second, third] = [createServerCertificate(), createServerCertificate()]
const all = [first, second, third]
const anHour = 3_600_000
/** Changes are noticed because the system tells of them: the next look by itself is far away. */
const told: CertificateTiming = { settle: 20, interval: anHour }
const looking: CertificateTiming = { settle: 20, interval: 20 }

async function serving(more: { timing?: CertificateTiming; settings?: ServerSettings } = {}) {
  const lines: { level: number; msg: string }[] = []
  const settings = more.settings ?? settingsIn(temporaryFolder())
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const server = await start(settings, log, { certificateTiming: more.timing ?? told })
  const logged = (level: number) => lines.filter((it) => it.level === level).map(({ msg }) => msg)
  return {
    ...{ settings, server },
    ...{ errors: () => logged(50), warnings: () => logged(40), infos: () => logged(30) },
  }
}

/** Which certificate a new connection is shown; the handshake proves that the key fits it. */
async function shown(server: RunningServer): Promise<ServerCertificate | undefined> {
  // Which one it is, is compared below: all of them have one name, by which OpenSSL looks authorities up.
  const socket = connect({ port: portOf(server), host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const pem = socket.getPeerX509Certificate()?.toString().trim()
  socket.destroy()
  return all.find(({ chain }) => chain.replaceAll('\r\n', '\n').trim() === pem)
}

function replace(path: string, content: string): void {
  writeFileSync(`${path}.new`, content)
  renameSync(`${path}.new`, path)
}

function replacePair({ tls }: ServerSettings, pair: ServerCertificate): void {
  replace(tls.key, pair.key)
  replace(tls.chain, pair.chain)
}

const refusal = 'the new certificate was rejected, the previous one stays in use: '

describe('an API server whose certificate files change', () => {
  it('uses the new certificate for new connections, and keeps open ones', async () => {
    const { server, settings, infos, errors } = await serving()
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: first.chain })
    onTestFinished(() => agent.destroy())
    const ping = async (): Promise<Socket> => {
      const call = request({ agent, host: '127.0.0.1', port: portOf(server), path: '/api/v2/ping' }).end()
      const [answer] = await once(call, 'response')
      const { socket } = answer
      expect(answer.statusCode).toBe(200)
      answer.resume()
      await once(answer, 'end')
      return socket
    }
    const before = await ping()
    replacePair(settings, second)
    await expect.poll(() => shown(server)).toBe(second)
    expect(before).toBeInstanceOf(Socket)
    expect((await ping()) === before).toBe(true)
    expect(infos()).toContain('the new certificate is in use')
    expect(errors()).toEqual([])
  })

  it('notices by itself a change of files behind symbolic links', async () => {
    const folder = temporaryFolder()
    const elsewhere = join(folder, 'elsewhere')
    mkdirSync(elsewhere)
    const behind = { ...settingsIn(folder), tls: settingsIn(elsewhere).tls }
    const tls = { key: join(folder, 'key.link'), chain: join(folder, 'chain.link') }
    symlinkSync(behind.tls.key, tls.key)
    symlinkSync(behind.tls.chain, tls.chain)
    const { server } = await serving({ timing: looking, settings: { ...behind, tls } })
    for (const next of [second, third]) {
      replacePair(behind, next)
      await expect.poll(() => shown(server)).toBe(next)
    }
  })

  it('reads the files at once when told to reload', async () => {
    const { server, settings } = await serving({ timing: { settle: anHour, interval: anHour } })
    replacePair(settings, second)
    expect(await shown(server)).toBe(first)
    server.reloadCertificate()
    expect(await shown(server)).toBe(second)
  })

  it('keeps the old certificate while key and certificate do not match, and logs that once', async () => {
    const { server, settings, errors } = await serving({ timing: looking })
    const { key, chain } = settings.tls
    replace(chain, second.chain)
    const why = `${refusal}the private key ${key} does not match the certificate ${chain}`
    await expect.poll(errors).toEqual([why])
    expect(await shown(server)).toBe(first)
    const overSocket = { socketPath: settings.socket }
    const ready = await fetchAt(overSocket, { path: '/health/ready' })
    expect([ready.status, ready.body]).toEqual([200, `ready\n${why}\n`])
    expect((await fetchAt({ port: portOf(server), ca: first.chain }, { path: '/health/ready' })).body).toBe(
      'ready\n',
    )
    expect((await fetchAt(overSocket, { path: '/metrics' })).body).toContain(
      '\nmuster_certificate_refused 1\n',
    )

    replace(key, second.key)
    await expect.poll(() => shown(server)).toBe(second)
    expect((await fetchAt(overSocket, { path: '/health/ready' })).body).toBe('ready\n')
    expect((await fetchAt(overSocket, { path: '/metrics' })).body).toContain(
      '\nmuster_certificate_refused 0\n',
    )
    expect(errors()).toEqual([why])
  })

  it('starts with the staged copy of an interrupted deployment, logs that, and follows the files', async () => {
    const folder = temporaryFolder()
    const settings = settingsIn(folder)
    const staged = join(folder, '.chain.pem.muster-0123456789abcdef')
    writeFileSync(settings.tls.key, second.key)
    writeFileSync(staged, second.chain)
    const { server, warnings, errors } = await serving({ timing: looking, settings })
    expect(await shown(server)).toBe(second)
    expect(warnings()).toContain(
      `${settings.tls.key} and ${settings.tls.chain} do not match: a deployment was interrupted. Using ${staged} instead; run muster install to replace both`,
    )
    const ready = async () => (await fetchAt({ socketPath: settings.socket }, { path: '/health/ready' })).body
    await expect.poll(ready).toContain('does not match the certificate')
    replace(settings.tls.chain, second.chain)
    await expect.poll(ready).toBe('ready\n')
    replacePair(settings, third)
    await expect.poll(() => shown(server)).toBe(third)
    expect(errors()).toHaveLength(1)
  })

  it('keeps its certificate if the old files return after a rejection', async () => {
    const { server, settings, errors } = await serving()
    replace(settings.tls.key, second.key)
    await expect.poll(errors).toHaveLength(1)
    replace(settings.tls.key, first.key)
    const ready = () => fetchAt({ socketPath: settings.socket }, { path: '/health/ready' })
    await expect.poll(async () => (await ready()).body).toBe('ready\n')
    expect(await shown(server)).toBe(first)
  })

  it.each([
    ['a certificate cut off', (tls: ServerSettings['tls']) => cut(tls.chain, 400)],
    [
      'a certificate cut within its chain',
      ({ chain }: ServerSettings['tls']) => {
        writeFileSync(chain, `${first.chain}${second.chain}`)
        cut(chain, first.chain.length + 400)
      },
    ],
    ['a key cut off', (tls: ServerSettings['tls']) => cut(tls.key, 100)],
    ['an empty certificate', (tls: ServerSettings['tls']) => cut(tls.chain, 0)],
    ['no key at all', (tls: ServerSettings['tls']) => renameSync(tls.key, `${tls.key}.away`)],
  ])('ignores %s, and uses the complete file afterwards', async (_name, spoil) => {
    const { server, settings, errors } = await serving()
    spoil(settings.tls)
    await expect.poll(errors).toHaveLength(1)
    expect(errors()[0]).toMatch(
      /^the new certificate was rejected, the previous one stays in use: .*(in PEM form|no such file)/,
    )
    expect(await shown(server)).toBe(first)
    writeFileSync(settings.tls.key, second.key)
    writeFileSync(settings.tls.chain, second.chain)
    await expect.poll(() => shown(server)).toBe(second)
  })

  it('rejects a certificate that has expired', async () => {
    const { server, settings, errors } = await serving()
    const expired = createServerCertificate(new Date('2025-01-01T00:00:00Z'))
    replacePair(settings, expired)
    await expect
      .poll(errors)
      .toEqual([`${refusal}the certificate ${settings.tls.chain} expired at 2025-01-01T00:00:00.000Z`])
    expect(await shown(server)).toBe(first)
  })

  it('shows the new expiry', async () => {
    const { server, settings } = await serving()
    const later = createServerCertificate(new Date('2099-01-01T00:00:00Z'))
    replacePair(settings, later)
    server.reloadCertificate()
    const { body } = await fetchAt({ socketPath: settings.socket }, { path: '/metrics' })
    expect(body).toContain('\nmuster_certificate_expiry_timestamp_seconds 4070908800\n')
  })

  it('never combines the key and the certificate of two pairs, however the files are replaced', async () => {
    const { server, settings } = await serving({ timing: { settle: 2, interval: 3 } })
    const { key, chain } = settings.tls
    const seen = new Set<unknown>()
    for (let round = 0; round < 12; round += 1) {
      const next = all[(round + 1) % all.length] ?? first
      const files = [
        { path: key, content: next.key },
        { path: chain, content: next.chain },
      ]
      for (const { path, content } of round % 2 === 0 ? files : files.toReversed()) {
        if (round % 3 === 0) writeFileSync(path, content)
        else replace(path, content)
        // A mixed pair would fail this handshake.
        for (let client = 0; client < round % 4; client += 1) seen.add(await shown(server))
      }
      await expect.poll(() => shown(server)).toBe(next)
    }
    expect(seen).not.toContain(undefined)
  })

  it('stops checking the files when it stops', async () => {
    const { server, settings, infos } = await serving({ timing: looking })
    await server.stop()
    const before = infos().length
    replacePair(settings, second)
    server.reloadCertificate()
    expect(infos().slice(before)).toEqual([])
  })
})

/** Leaves the first bytes of a file. */
function cut(path: string, bytes: number): void {
  expect(readFileSync(path).length).toBeGreaterThan(bytes)
  truncateSync(path, bytes)
}
