import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { problemAnswer } from './problemAnswer.ts'
import { ProblemError } from './problemError.ts'

/** What a TLS listener shows: PEM texts. */
export type TlsMaterial = { readonly key: string; readonly chain: string }

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

/** Milliseconds: a whole request must arrive within the second, its headers within the first. */
const timeouts = { headers: 10_000, request: 20_000, handshake: 10_000, keepAlive: 30_000, idle: 60_000 }

const options = {
  // We answer a missing Host header ourselves.
  requireHostHeader: false,
  headersTimeout: timeouts.headers,
  requestTimeout: timeouts.request,
  keepAliveTimeout: timeouts.keepAlive,
  connectionsCheckingInterval: 1000,
}

/** What Node.js refuses before there is a request, as a problem of the table. */
export function problemOfConnection(code: string | undefined): ProblemError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ProblemError({ code: 'headers-too-large', detail: 'Send at most 16 KiB of headers.' })
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ProblemError({ code: 'request-timeout', detail: 'The request did not arrive in 20 s.' })
    default:
      return new ProblemError({ code: 'bad-request', detail: 'The server cannot read this as HTTP/1.1.' })
  }
}

function refuseConnection(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, headers, body } = problemAnswer({ problem: problemOfConnection(error.code), requestId })
  const lines = Object.entries({
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
}

/** A server with explicit limits that does not listen yet: HTTPS with `tls`, plain HTTP without. */
export function createHttpServer(facts: {
  readonly listener: RequestListener
  readonly tls: TlsMaterial | undefined
  readonly newRequestId: () => string
}): Server {
  const { listener, tls, newRequestId } = facts
  const server = tls
    ? createTlsServer(
        {
          ...options,
          key: tls.key,
          cert: tls.chain,
          minVersion: 'TLSv1.2',
          maxVersion: 'TLSv1.3',
          ciphers,
          honorCipherOrder: true,
          handshakeTimeout: timeouts.handshake,
        },
        listener,
      )
    : createServer(options, listener)
  // Expectations beyond 100-continue may be passed over (RFC 9110 section 10.1.1).
  server.on('checkExpectation', listener)
  server.setTimeout(timeouts.idle)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    refuseConnection(error, socket, newRequestId()),
  )
  return server
}
