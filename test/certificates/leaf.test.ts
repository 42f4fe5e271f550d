import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { authorityProblem, createAuthority } from '../../src/certificates/authority.ts'
import { CertificateError } from '../../src/certificates/certificateError.ts'
import { issueLeaf } from '../../src/certificates/leaf.ts'
import { certificatesOf } from '../../src/certificates/pem.ts'
import { day, hasIpv6 } from './tools.ts'

const now = day('2026-03-10')
const authority = await createAuthority({ cluster: 'alpha', now })
const host = { names: ['db1'], addresses: ['10.0.0.11'] }
const issue = (changes: object = {}) => issueLeaf({ authority, ...host, lifetimeDays: 365, now, ...changes })
const leafOf = async (changes: object = {}): Promise<X509Certificate> =>
  new X509Certificate((await issue(changes)).chain)

describe('a cluster authority', () => {
  const certificate = new X509Certificate(authority.certificate)

  it('is valid for ten years from a day ago and may sign', () => {
    expect(certificate.subject).toBe('CN=muster alpha authority')
    expect(certificate.issuer).toBe(certificate.subject)
    expect(certificate.validFrom).toBe('Mar  9 12:00:00 2026 GMT')
    expect(certificate.validTo).toBe('Mar  9 12:00:00 2036 GMT')
    expect(certificate.ca).toBe(true)
    expect(certificate.verify(certificate.publicKey)).toBe(true)
    expect(authorityProblem(authority)).toBeUndefined()
  })

  it('never prints its key', () => {
    expect(JSON.stringify(authority)).not.toContain('PRIVATE')
  })

  it('keeps its common name within 64 characters', async () => {
    const made = await createAuthority({ cluster: 'x'.repeat(200), now })
    expect(new X509Certificate(made.certificate).subject).toBe(`CN=muster ${'x'.repeat(40)} authority`)
  })

  it('reports why it cannot sign', async () => {
    const other = await createAuthority({ cluster: 'alpha', now })
    const leaf = await issue()
    expect(authorityProblem({ ...authority, key: other.key })).toBe(
      'has a key that does not belong to its certificate',
    )
    expect(authorityProblem({ ...authority, certificate: 'x' })).toBe('has a certificate that cannot be read')
    expect(authorityProblem({ certificate: leaf.chain, key: leaf.key })).toBe(
      'has a certificate that cannot sign others',
    )
  })
})

describe('a host certificate', () => {
  it('is valid for the host, localhost and both loopback addresses, each once', async () => {
    const leaf = await leafOf({
      names: ['DB1', 'db1.', 'bücher.example', 'localhost'],
      addresses: ['10.0.0.11', 'fd00::1', 'fd00:0:0::1', 'db1', '0.0.0.0', '::'],
    })
    expect(leaf.subjectAltName?.split(', ')).toEqual([
      'DNS:db1',
      'DNS:xn--bcher-kva.example',
      'DNS:localhost',
      'IP Address:10.0.0.11',
      'IP Address:FD00:0:0:0:0:0:0:1',
      'IP Address:127.0.0.1',
      'IP Address:0:0:0:0:0:0:0:1',
    ])
  })

  it('matches its key, is signed by the authority and is returned with it', async () => {
    const leaf = await issue()
    const [certificate, issuer, ...rest] = certificatesOf(leaf.chain) ?? []
    expect(rest).toEqual([])
    expect(issuer?.raw).toEqual(new X509Certificate(authority.certificate).raw)
    expect(certificate?.checkPrivateKey(createPrivateKey(leaf.key.reveal()))).toBe(true)
    expect(issuer && certificate?.checkIssued(issuer)).toBe(true)
    expect(issuer && certificate?.verify(issuer.publicKey)).toBe(true)
    expect(certificate?.ca).toBe(false)
    expect(certificate?.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'])
  })

  it('has a random positive serial number of 16 bytes', async () => {
    const first = (await leafOf()).serialNumber
    expect(first).toMatch(/^[4-7][0-9A-F]{31}$/)
    expect((await leafOf()).serialNumber).not.toBe(first)
    expect((await leafOf({ random: (size: number) => Buffer.alloc(size, 0xff) })).serialNumber).toBe(
      `7F${'FF'.repeat(15)}`,
    )
  })

  it('is valid for its lifetime from a day ago', async () => {
    const leaf = await leafOf({ now: day('2026-06-01') })
    expect(leaf.validFrom).toBe('May 31 12:00:00 2026 GMT')
    expect(leaf.validTo).toBe('Jun  1 12:00:00 2027 GMT')
  })

  it('is never valid before or after its authority', async () => {
    const early = await leafOf({ now: day('2026-03-09') })
    expect(early.validFrom).toBe('Mar  9 12:00:00 2026 GMT')
    const late = await leafOf({ now: day('2036-01-01') })
    expect(late.validTo).toBe('Mar  9 12:00:00 2036 GMT')
  })

  it('keeps its common name within 64 characters and the whole name among its alternatives', async () => {
    const name = `${'a'.repeat(60)}.example.org`
    const leaf = await leafOf({ names: [name] })
    expect(leaf.subject).toBe(`CN=${name.slice(0, 64)}`)
    expect(leaf.checkHost(name)).toBe(name)
  })

  it('has valid dates after 2049', async () => {
    const late = await createAuthority({ cluster: 'alpha', now: day('2045-01-01') })
    const leaf = await leafOf({ authority: late, now: day('2050-02-01') })
    expect(leaf.validTo).toBe('Feb  1 12:00:00 2051 GMT')
  })

  it('is not issued by an expired authority or for an invalid host name', async () => {
    await expect(issue({ now: day('2036-04-01') })).rejects.toMatchObject({ code: 'authority-expired' })
    await expect(issue({ names: ['a b'] })).rejects.toBeInstanceOf(CertificateError)
  })
})

describe('a TLS handshake with the chain of a host', () => {
  const shake = async (options: { address: string; name?: string; version: 'TLSv1.2' | 'TLSv1.3' }) => {
    const current = await createAuthority({ cluster: 'alpha', now: new Date() })
    const leaf = await issue({ authority: current, now: new Date() })
    const server = createServer({ key: leaf.key.reveal(), cert: leaf.chain }, (socket) => socket.end('hello'))
    server.listen(0, options.address)
    await once(server, 'listening')
    const socket = connect({
      host: options.address,
      port: (server.address() as AddressInfo).port,
      ca: current.certificate,
      minVersion: options.version,
      maxVersion: options.version,
      ...(options.name === undefined ? {} : { servername: options.name }),
    })
    try {
      await once(socket, 'secureConnect')
      return socket.authorized
    } finally {
      socket.destroy()
      server.close()
    }
  }

  it('verifies by name, in TLS 1.2 and 1.3', async () => {
    expect(await shake({ address: '127.0.0.1', name: 'db1', version: 'TLSv1.2' })).toBe(true)
    expect(await shake({ address: '127.0.0.1', name: 'db1', version: 'TLSv1.3' })).toBe(true)
  })

  it('verifies by 127.0.0.1', async () => {
    expect(await shake({ address: '127.0.0.1', version: 'TLSv1.3' })).toBe(true)
  })

  it.skipIf(!hasIpv6)('verifies by ::1 (needs IPv6 on loopback)', async () => {
    expect(await shake({ address: '::1', version: 'TLSv1.3' })).toBe(true)
  })

  it('fails for another name', async () => {
    await expect(shake({ address: '127.0.0.1', name: 'db2', version: 'TLSv1.3' })).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
  })
})
