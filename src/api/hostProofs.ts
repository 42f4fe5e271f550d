import type { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { isAddress } from '../base/address.ts'
import type { PeerHost } from '../contracts/serverSettings.ts'
import { endsOf } from './remoteAddress.ts'

/** Names of certificates of other hosts, as their connections prove them. */
export type HostProofs = {
  /** Returns the host at the other end of a connection; undefined without a certificate that proves one. */
  hostOf(connection: Socket): string | undefined
  /** Believes no connection any more that is open now: other authorities are trusted from now on. */
  forget(): void
}

const hasName = (certificate: X509Certificate, name: string): boolean =>
  isAddress(name)
    ? certificate.checkIP(name) !== undefined
    : certificate.checkHost(name, { subject: 'never' }) !== undefined

/** Returns the host whose certificate was verified in the handshake of this very connection. */
function provedHost(socket: TLSSocket, hosts: readonly PeerHost[]): string | undefined {
  const certificate = socket.getPeerX509Certificate()
  // Node.js calls a resumed session authorized even if it had no certificate.
  if (!socket.authorized || socket.isSessionReused() || certificate === undefined) return undefined
  return hosts.find(({ names }) => names.some((name) => hasName(certificate, name)))?.name
}

/** Watches the handshakes of a TLS server for certificates of these hosts. */
export function watchHostProofs(
  server: {
    on(event: 'connection', listener: (socket: Socket) => void): unknown
    on(event: 'secureConnection', listener: (socket: TLSSocket) => void): unknown
  },
  hosts: readonly PeerHost[],
): HostProofs {
  let proved = new WeakMap<Socket, string>()
  /** Connections whose handshake began under the present authorities. */
  let handshaking = new Map<string, Socket>()

  server.on('connection', (socket) => {
    const ends = endsOf(socket)
    handshaking.set(ends, socket)
    socket.once('close', () => {
      if (handshaking.get(ends) === socket) handshaking.delete(ends)
    })
  })
  server.on('secureConnection', (socket) => {
    if (!handshaking.delete(endsOf(socket))) return
    const host = provedHost(socket, hosts)
    if (host !== undefined) proved.set(socket, host)
  })
  return {
    hostOf: (connection) => proved.get(connection),
    forget: () => {
      proved = new WeakMap()
      handshaking = new Map()
    },
  }
}
