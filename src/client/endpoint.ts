import { X509Certificate } from 'node:crypto'
import { addressAndPort } from '../base/address.ts'
import type { Secret } from '../secrets/secret.ts'
import { cacheLast } from './cacheLast.ts'

const block = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

const readable = cacheLast<boolean>()

/** Returns true if a text has at least one PEM certificate and all of them can be parsed. */
export const isReadableAuthority = (text: string): boolean =>
  readable(text, () => {
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

/** Rule for accepting a server certificate. */
export type Trust =
  /** Signed by one of these (PEM) only. */
  | { readonly kind: 'authorities'; readonly certificates: readonly string[] }
  /** Signed by a public authority of Node.js or of NODE_EXTRA_CA_CERTS. */
  | { readonly kind: 'system' }
  /** Any certificate: the server is not verified. */
  | { readonly kind: 'any' }

/** Listening address of an API: TCP with TLS, or the host's own Unix socket, which needs neither. */
export type Endpoint =
  | {
      readonly kind: 'tcp'
      /** Name or IP address to connect to, without brackets. */
      readonly address: string
      readonly port: number
      /**
       * The certificate must have one of these; an IP address must be among its IP addresses. The first one
       * is the Host header and, if it is a name, the TLS server name.
       */
      readonly names: readonly [string, ...string[]]
      readonly trust: Trust
      /** Key and certificate chain (PEM) that this side shows where the server asks for them. */
      readonly identity?: { readonly key: Secret; readonly chain: string }
      /** SHA-256 of the only accepted certificate, in the format of Node.js; absent: any trusted one. */
      readonly leaf?: string
    }
  | { readonly kind: 'socket'; readonly path: string }

/** Names an endpoint for messages: `https://db1:8090`, or the socket's path. */
export const describeEndpoint = (endpoint: Endpoint): string =>
  endpoint.kind === 'tcp'
    ? `https://${addressAndPort(endpoint.address, endpoint.port)}`
    : `the socket ${endpoint.path}`
