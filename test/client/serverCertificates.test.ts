import { X509Certificate } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { type CallRequest, callAll } from '../../src/client/call.ts'
import { fetchServerCertificates } from '../../src/client/serverCertificates.ts'
import { makeAuthority, makeLeaf } from '../support/clientCertificate.ts'
import { type LoopbackServer, serveTcp, serveTls } from '../support/loopbackServer.ts'
import { freePort } from '../support/ports.ts'

const authority = makeAuthority()
const other = makeAuthority('other authority')
const past = Date.now() - 86_400_000
const leaf = makeLeaf(authority, { names: ['db1', '127.0.0.1'] })
const expired = makeLeaf(authority, { names: ['db1'], from: past - 86_400_000, to: past })
const open: LoopbackServer[] = []
const keep = async (server: Promise<LoopbackServer>): Promise<LoopbackServer> => {
  const started = await server
  open.push(started)
  return started
}

afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

const printOf = (pem: string | undefined): string => new X509Certificate(pem ?? '').fingerprint256
const at = (port: number) => ({ address: '127.0.0.1', port, timeout: 5000 })
const ok = (_: unknown, answer: { end(text: string): unknown }) => answer.end('{}')

describe('fetchServerCertificates', () => {
  it('returns the chain of the server, leaf first, up to its issuers', async () => {
    const chained = { ...leaf, cert: leaf.cert + authority.certificate }
    const server = await keep(serveTls(chained, ok))
    const shown = await fetchServerCertificates(at(server.port))
    expect(shown.map(printOf)).toEqual([printOf(leaf.cert), printOf(authority.certificate)])
  })

  it('returns untrusted certificates, without sending anything', async () => {
    const calls: unknown[] = []
    const server = await keep(serveTls(expired, (message) => calls.push(message.url)))
    expect((await fetchServerCertificates(at(server.port))).map(printOf)).toEqual([printOf(expired.cert)])
    expect(calls).toEqual([])
  })

  it('explains why there are no certificates', async () => {
    await expect(fetchServerCertificates(at(await freePort()))).rejects.toMatchObject({ code: 'refused' })
    const mute = await keep(serveTcp(() => {}))
    await expect(fetchServerCertificates({ ...at(mute.port), timeout: 50 })).rejects.toMatchObject({
      code: 'timeout',
      message: `The TLS handshake with https://127.0.0.1:${mute.port} did not complete within 0.05 s.`,
    })
    const plain = await keep(serveTcp((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))
    await expect(fetchServerCertificates(at(plain.port))).rejects.toMatchObject({ code: 'tls' })
  })
})

describe('a call with show: certificates', () => {
  const call = (port: number, trusted: string): CallRequest => ({
    id: 'manager',
    method: 'GET',
    path: '/api/v2/ping',
    target: { address: '127.0.0.1', port, authorities: [trusted] },
    timeout: 5000,
    show: 'certificates',
  })

  it('returns them beside the response, or beside the error', async () => {
    const server = await keep(serveTls(leaf, ok))
    const [good] = await callAll([call(server.port, authority.certificate)])
    expect(good).toMatchObject({ status: 200 })
    expect(good?.certificates?.map(printOf)).toEqual([printOf(leaf.cert)])
    const [bad] = await callAll([call(server.port, other.certificate)])
    expect(bad).toMatchObject({ error: { code: 'certificate-untrusted' } })
    expect(bad?.certificates?.map(printOf)).toEqual([printOf(leaf.cert)])
    const [none] = await callAll([call(await freePort(), authority.certificate)])
    expect(none).toMatchObject({ error: { code: 'refused' }, certificates: [] })
  })

  it('returns none for a socket, and none without show', async () => {
    const server = await keep(serveTls(leaf, ok))
    const { show: _, ...unasked } = call(server.port, authority.certificate)
    expect((await callAll([unasked]))[0]).not.toHaveProperty('certificates')
    const target = { socket: '/nowhere.sock' }
    expect((await callAll([{ ...call(1, ''), target }]))[0]).not.toHaveProperty('certificates')
  })
})
