import { X509Certificate } from 'node:crypto'
import { connect, type DetailedPeerCertificate } from 'node:tls'
import { addressAndPort, isAddress } from '../base/address.ts'
import { ClientError } from './clientError.ts'
import { explainFailure } from './explainFailure.ts'

/** Limit on the certificates of one handshake. */
const maxCertificates = 10

/**
 * Makes a TLS handshake without sending a request and returns the server's certificates, leaf first, as PEM,
 * trusted or not. Rejects with a `ClientError` and nothing else.
 */
export function fetchServerCertificates(server: {
  readonly address: string
  readonly port: number
  /** Server name of the handshake; an address is not sent (RFC 6066, section 3). */
  readonly servername?: string
  /** Milliseconds. */
  readonly timeout: number
}): Promise<readonly string[]> {
  const { address, port, servername = address, timeout } = server
  const place = `https://${addressAndPort(address, port)}`
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: address,
      port,
      servername: isAddress(servername) ? '' : servername,
      minVersion: 'TLSv1.2',
      // No data is sent, and untrusted certificates must be shown too.
      rejectUnauthorized: false,
    })
    const settle = (result: () => void): void => {
      clearTimeout(timer)
      result()
      socket.destroy()
    }
    const timer = setTimeout(() => settle(() => reject(late(place, timeout))), timeout)
    socket.once('secureConnect', () => {
      try {
        const chain = chainOf(socket.getPeerCertificate(true))
        settle(() => resolve(chain))
      } catch {
        settle(() => reject(unreadable(place)))
      }
    })
    socket.on('error', (error) => settle(() => reject(new ClientError(explainFailure({ error, place })))))
  })
}

/** Returns the chain as it was sent; the last one may be self-issued. */
function chainOf(leaf: DetailedPeerCertificate): readonly string[] {
  const found = new Map<string, string>()
  let next: DetailedPeerCertificate | undefined = leaf
  while (next?.raw !== undefined && !found.has(next.fingerprint256) && found.size < maxCertificates) {
    found.set(next.fingerprint256, new X509Certificate(next.raw).toString())
    next = next.issuerCertificate
  }
  return [...found.values()]
}

const unreadable = (place: string): ClientError =>
  new ClientError({
    code: 'tls',
    message: `The certificate of ${place} cannot be read.`,
    fix: 'Check the server: `openssl s_client -showcerts` prints its certificates.',
  })

const late = (place: string, timeout: number): ClientError =>
  new ClientError({
    code: 'timeout',
    message: `The TLS handshake with ${place} did not complete within ${timeout / 1000} s.`,
    fix: 'Check that the component runs, and read its log.',
  })
