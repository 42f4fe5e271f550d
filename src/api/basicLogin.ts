import type { Login } from '../accounts/verifiedLogins.ts'
import { Secret } from '../secrets/secret.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The login of an Authorization header (RFC 7617, UTF-8); undefined when it is none. */
export function readBasicLogin(header: string): Login | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header)?.[1]
  if (encoded === undefined) return undefined
  let pair: string
  try {
    pair = utf8.decode(Buffer.from(encoded, 'base64'))
  } catch {
    return undefined
  }
  const colon = pair.indexOf(':')
  if (colon < 0) return undefined
  return { user: pair.slice(0, colon).normalize('NFC'), password: new Secret(pair.slice(colon + 1)) }
}
