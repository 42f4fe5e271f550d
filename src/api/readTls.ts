import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { ServerSettings } from '../contracts/serverSettings.ts'
import { readLinkedText, stagedFor } from './files.ts'
import type { TlsMaterial } from './server.ts'
import { StartError } from './startError.ts'

function parse<Result>(path: string, what: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    // OpenSSL's words say nothing to a person and may quote the file.
    throw new StartError(`${path} is no ${what} in PEM form`, error)
  }
}

/** The leaf of a chain; every certificate of it must be whole, for a file may be read while it is written. */
function readChain(chain: string): X509Certificate {
  const blocks = chain.match(/-----BEGIN CERTIFICATE-----[^-]*(?:-----END CERTIFICATE-----)?/g) ?? []
  const [leaf] = blocks.map((block) => new X509Certificate(block))
  return leaf ?? new X509Certificate(chain)
}

type ReadTls = TlsMaterial & { readonly expiry: Date }

/**
 * The key and certificates of a TLS listener, and when the leaf expires. Throws a `StartError` when a file
 * cannot be read or understood, or the two do not belong together.
 */
export function readTls(paths: ServerSettings['tls']): ReadTls {
  const key = readLinkedText(paths.key, 'the private key')
  const chain = readLinkedText(paths.chain, 'the certificate')
  const privateKey = parse(paths.key, 'private key', () => createPrivateKey(key))
  const leaf = parse(paths.chain, 'certificate', () => readChain(chain))
  if (!leaf.checkPrivateKey(privateKey)) {
    throw new StartError(`the private key ${paths.key} is not that of the certificate ${paths.chain}`)
  }
  return { key, chain, expiry: new Date(leaf.validTo) }
}

/**
 * The same for a server that starts. Key and chain are two renames: where a host lost its power between them, one of
 * the two still lies beside its place, and with that one the server starts; `instead` is its path.
 */
export function readTlsAtStart(paths: ServerSettings['tls']): ReadTls & { readonly instead?: string } {
  try {
    return readTls(paths)
  } catch (error) {
    const pairs = [
      ...stagedFor(paths.chain).map((chain) => ({ ...paths, chain, instead: chain })),
      ...stagedFor(paths.key).map((key) => ({ ...paths, key, instead: key })),
    ]
    for (const { instead, ...pair } of pairs) {
      const tls = pairOf(pair)
      if (tls !== undefined) return { ...tls, instead }
    }
    throw error
  }
}

function pairOf(paths: ServerSettings['tls']): ReadTls | undefined {
  try {
    return readTls(paths)
  } catch {
    return undefined
  }
}
