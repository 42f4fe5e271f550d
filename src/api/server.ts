import { constants } from 'node:crypto'
import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http'
import { createServer as createTlsServer, Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { ProblemError } from './problemError.ts'
import { endsOf } from './remoteAddress.ts'
import { headersOf, problemResponse } from './response.ts'

/** Key and certificate chain of a TLS listener, and the authorities that prove other hosts, in PEM form. */
export type TlsMaterial = {
  readonly key: string
  readonly chain: string
  /** Absent where callers are not asked for a certificate. */
  readonly authorities?: string
}

/** TLS 1.2 and 1.3, authenticated encryption with forward secrecy only, in OpenSSL's names. */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
].join(':')

/** Time limits of a connection, in milliseconds. */
export type ServerLimits = {
  /** The TLS handshake. */
  readonly handshake: number
  /** The headers of a request, and the whole of it. */
  readonly headers: number
  readonly request: number
  /** No bytes at all, after a response and anywhere else. */
  readonly keepAlive: number
  readonly idle: number
  /** Interval between checks of the request limits. */
  readonly check: number
}

const defaultLimits: ServerLimits = {
  handshake: 10_000,
  headers: 10_000,
  request: 20_000,
  keepAlive: 30_000,
  idle: 60_000,
  check: 1000,
}

const httpOptions = ({ headers, request, keepAlive, check }: ServerLimits) => ({
  // We respond to a missing Host header ourselves.
  requireHostHeader: false,
  headersTimeout: headers,
  requestTimeout: request,
  keepAliveTimeout: keepAlive,
  connectionsCheckingInterval: check,
})

/** Translates an error that Node.js reports before there is a request into a problem. */
function problemOfConnection(code: string | undefined): ProblemError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ProblemError({ code: 'headers-too-large', detail: 'Send at most 16 KiB of headers.' })
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ProblemError({
        code: 'request-timeout',
        detail: 'Send the headers within 10 s and the whole request within 20 s.',
      })
    default:
      return new ProblemError({ code: 'bad-request', detail: 'The request is not valid HTTP/1.1.' })
  }
}

/** With authorities, TLS 1.3 for those whom these prove; no browser and no old client comes there. */
const secureOptions = ({ key, chain, authorities }: TlsMaterial) =>
  ({
    key,
    cert: chain,
    minVersion: authorities === undefined ? 'TLSv1.2' : 'TLSv1.3',
    maxVersion: 'TLSv1.3',
    ciphers,
    honorCipherOrder: true,
    ...(authorities === undefined
      ? {}
      : {
          // The operator's authorities are the trust anchors, even if others signed them.
          ca: authorities,
          allowPartialTrustChain: true,
          // A resumed session would bring the verdict of an earlier handshake.
          secureOptions: constants.SSL_OP_NO_TICKET,
        }),
  }) as const

const certificateRequest = ({ authorities }: TlsMaterial) =>
  authorities === undefined ? {} : { requestCert: true, rejectUnauthorized: true }

/**
 * Replaces the certificate for new connections; open ones stay as they are. Throws when OpenSSL does not
 * take it, and then nothing changes.
 */
export function replaceTls(server: Server, tls: TlsMaterial): void {
  if (!(server instanceof TlsServer)) throw new Error('this server does not use TLS')
  createSecureContext(secureOptions(tls))
  server.setSecureContext(secureOptions(tls))
}

function rejectConnection(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  // Only who speaks TLS and something like HTTP can be answered.
  if (!/^(HPE|ERR_HTTP)_/.test(error.code ?? '') || !socket.writable) {
    socket.destroy()
    return
  }
  const response = problemResponse({ problem: problemOfConnection(error.code), requestId })
  const { status, body } = response
  const head = [...headersOf(response, requestId), 'Connection', 'close'].reduce(
    (text, it, index) => `${text}${it}${index % 2 === 0 ? ': ' : '\r\n'}`,
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`,
  )
  socket.end(`${head}\r\n${body}`)
  // Not only our half of it: the other may stay open for ever.
  socket.destroySoon()
}

const plainHttpText = 'This port accepts HTTPS only: use https:// instead of http://.\n'

/** Response to plain HTTP on a TLS port. It repeats nothing of the request. */
const plainHttpResponse = [
  'HTTP/1.1 400 Bad Request',
  'Content-Type: text/plain; charset=utf-8',
  `Content-Length: ${plainHttpText.length}`,
  'Cache-Control: no-store',
  'Connection: close',
  '',
  plainHttpText,
].join('\r\n')

/** Responds to plain HTTP below TLS and closes; a silent client has the time of the handshake, as with TLS. */
function respondToPlainHttp(server: Server): void {
  const handshaking = new Map<string, Socket>()
  server.on('connection', (socket: Socket) => {
    const ends = endsOf(socket)
    handshaking.set(ends, socket)
    socket.once('close', () => {
      if (handshaking.get(ends) === socket) handshaking.delete(ends)
    })
  })
  server.on('secureConnection', (socket: Socket) => handshaking.delete(endsOf(socket)))
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const plain = handshaking.get(endsOf(socket))
    if (error.code !== 'ERR_SSL_HTTP_REQUEST' || !plain?.writable) return
    plain.end(plainHttpResponse)
    plain.destroySoon()
  })
}

/** A server with explicit limits that does not listen yet: HTTPS with `tls`, plain HTTP without. */
export function createHttpServer(facts: {
  readonly listener: RequestListener
  readonly tls: TlsMaterial | undefined
  readonly limits: Partial<ServerLimits> | undefined
  readonly newRequestId: () => string
}): Server {
  const { listener, tls, newRequestId } = facts
  const limits = { ...defaultLimits, ...facts.limits }
  const options = httpOptions(limits)
  const server = tls
    ? createTlsServer(
        {
          ...options,
          ...secureOptions(tls),
          ...certificateRequest(tls),
          handshakeTimeout: limits.handshake,
        },
        listener,
      )
    : createServer(options, listener)
  if (tls) respondToPlainHttp(server)
  // Expectations beyond 100-continue may be passed over (RFC 9110 section 10.1.1).
  server.on('checkExpectation', listener)
  server.setTimeout(limits.idle)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    rejectConnection(error, socket, newRequestId()),
  )
  return server
}
