import { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect } from '../../../src/components/databases/connect.ts'
import type { ServerProof } from '../../../src/components/databases/connection.ts'
import { DatabaseError } from '../../../src/components/databases/databaseError.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { makeAuthority, makeLeaf, type TestLeaf } from '../../support/clientCertificate.ts'
import { greeting } from '../../support/databaseClient.ts'
import { serveTcp } from '../../support/loopbackServer.ts'

/** CLIENT_SSL in the lower capabilities of a greeting, beside "5.5.5", the number of the connection and eight bytes of salt. */
const tlsFlag = { at: 4 + 1 + 6 + 4 + 8 + 1 + 1, bit: 0x08 }

/** Bytes of the packet by which a client asks for TLS. */
const tlsRequest = 36

const authority = makeAuthority()
const other = makeAuthority('another authority')
const day = 86_400_000

/** A server that takes TLS, or none, and then hears what a client says. */
async function serverWith(leaf: TestLeaf | undefined) {
  const heard: string[] = []
  const server = await serveTcp((socket) => {
    const hello = Buffer.from(greeting)
    if (leaf) hello[tlsFlag.at] = (hello[tlsFlag.at] ?? 0) | tlsFlag.bit
    socket.write(hello)
    socket.once('data', (request: Buffer) => {
      if (!leaf || request.length < tlsRequest) return void heard.push('in clear')
      // The handshake may come with the request.
      const handshake = new Duplex({
        read: () => undefined,
        write: (chunk, _encoding, done) => void socket.write(chunk, done),
      })
      handshake.push(request.subarray(tlsRequest))
      socket.on('data', (chunk: Buffer) => handshake.push(chunk))
      const secured = new TLSSocket(handshake, { isServer: true, ...leaf })
      secured.on('error', () => undefined)
      secured.on('data', (chunk: Buffer) => {
        heard.push(chunk.toString('latin1'))
        socket.destroy()
      })
    })
  })
  onTestFinished(() => server.close())
  const login = async (proof: ServerProof): Promise<unknown> => {
    const account = { host: '127.0.0.1', port: server.port, user: 'muster', password: new Secret('hidden') }
    const opened = connect({ ...account, proof }, AbortSignal.timeout(10_000))
    return opened.catch((error: unknown) => error)
  }
  return { heard, login, place: `127.0.0.1:${server.port}` }
}

const proofBy = (...names: readonly string[]): ServerProof => ({
  authorities: authority.certificate,
  names,
})

describe('a connection to a database that has to prove itself', () => {
  it.each(['db1', '127.0.0.1', 'elsewhere and db1'])(
    'logs in where the certificate has one of the names %s',
    async (names) => {
      const leaf = makeLeaf(authority, { names: ['db1', '127.0.0.1'] })
      const { heard, login } = await serverWith(leaf)
      await login(proofBy(...names.split(' and ')))
      expect(heard).toEqual([expect.stringContaining('muster')])
    },
  )

  it.each([
    [
      'another name',
      () => makeLeaf(authority, { names: ['localhost', 'db2'] }),
      /is for .*db2, not for db1\./,
    ],
    [
      'another authority',
      () => makeLeaf(other, { names: ['db1'] }),
      /is not signed by an authority that is trusted\. Check it, and the file of database-tls-authority/,
    ],
    [
      'a certificate that has expired',
      () => makeLeaf(authority, { names: ['db1'], from: Date.now() - 2 * day, to: Date.now() - day }),
      /has expired/,
    ],
    ['no TLS', () => undefined, /takes no TLS\. Give it a certificate that database-tls-authority proves/],
  ])('sends nothing of the login to a server with %s, and says why', async (_what, leaf, reason) => {
    const { heard, login, place } = await serverWith(leaf())
    const error = await login(proofBy('db1'))
    expect(error).toBeInstanceOf(DatabaseError)
    expect(error).toMatchObject({ code: 'unproven', message: expect.stringMatching(reason) })
    expect(String(error)).toContain(place)
    expect(heard).toEqual([])
  })

  it('takes a handshake that is broken off for what it is, and not for a lack of proof', async () => {
    const server = await serveTcp((socket) => {
      const hello = Buffer.from(greeting)
      hello[tlsFlag.at] = (hello[tlsFlag.at] ?? 0) | tlsFlag.bit
      socket.write(hello)
      socket.once('data', () => socket.destroy())
    })
    onTestFinished(() => server.close())
    const account = { host: '127.0.0.1', port: server.port, user: 'muster', password: new Secret('hidden') }
    const opened = connect({ ...account, proof: proofBy('db1') }, AbortSignal.timeout(10_000))
    await expect(opened).rejects.toMatchObject({ code: 'unreachable' })
  })
})
