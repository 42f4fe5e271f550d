import { X509Certificate } from 'node:crypto'
import { addressAndPort } from '../base/address.ts'
import { rememberLast } from './rememberLast.ts'

const block = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

const remembered = rememberLast<boolean>()

/** Whether a text holds at least one PEM certificate and every one in it can be read. */
export const isReadableAuthority = (text: string): boolean =>
  remembered(text, () => {
    const certificates = text.match(block) ?? []
    return certificates.length > 0 && certificates.every(isCertificate)
  })

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).serialNumber !== ''
  } catch {
    return false
  }
}

/** Which certificates a call accepts. */
export type Trust =
  /** Signed by one of these (PEM), and by nothing else. */
  | { readonly kind: 'authorities'; readonly certificates: readonly string[] }
  /** Signed by one of the public authorities that Node.js carries, or of NODE_EXTRA_CA_CERTS. */
  | { readonly kind: 'system' }
  /** Any certificate at all: whoever answers is believed. */
  | { readonly kind: 'anyone' }

/** Where an API listens: over TCP with TLS, or on the host's own Unix socket, which needs neither. */
export type Endpoint =
  | {
      readonly kind: 'tcp'
      /** Name or IP address to connect to, without brackets. */
      readonly address: string
      readonly port: number
      /**
       * The certificate must carry one of these; an IP address must be among its IP addresses. The first
       * one is also the Host header and, where it is a name, the TLS server name.
       */
      readonly names: readonly [string, ...string[]]
      readonly trust: Trust
      /** SHA-256 of the only certificate that is taken, as Node.js writes it; any that is trusted without it. */
      readonly leaf?: string
    }
  | { readonly kind: 'socket'; readonly path: string }

/** How messages name an endpoint: `https://db1:8090`, or the socket's path. */
export const describeEndpoint = (endpoint: Endpoint): string =>
  endpoint.kind === 'tcp'
    ? `https://${addressAndPort(endpoint.address, endpoint.port)}`
    : `the socket ${endpoint.path}`
