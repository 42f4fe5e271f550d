import { createPrivateKey, X509Certificate } from 'node:crypto'
import { dirname } from 'node:path'
import type { ServerSettings } from '../contracts/serverSettings.ts'
import type { Log } from './log.ts'
import type { TlsMaterial } from './server.ts'
import { identifyFile, readLinkedText, stagedCopies, watchFolder } from './serverFiles.ts'
import { reasonOf, StartError } from './startError.ts'

function parse<Result>(path: string, what: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    // OpenSSL's words say nothing to a person and may quote the file.
    throw new StartError(`${path} is no ${what} in PEM form`, error)
  }
}

/** Returns the leaf of a chain; every certificate of it must be whole, for a file may be read while it is written. */
function readChain(chain: string): X509Certificate {
  const blocks = chain.match(/-----BEGIN CERTIFICATE-----[^-]*(?:-----END CERTIFICATE-----)?/g) ?? []
  const [leaf] = blocks.map((block) => new X509Certificate(block))
  return leaf ?? new X509Certificate(chain)
}

type ReadTls = TlsMaterial & { readonly expiry: Date }

/**
 * Reads key and certificates of a TLS listener, and when the leaf expires. Throws a `StartError` when a file
 * cannot be read or understood, or key and certificate do not belong together.
 */
export function readTls(paths: ServerSettings['tls']): ReadTls {
  const key = readLinkedText(paths.key, 'the private key')
  const chain = readLinkedText(paths.chain, 'the certificate')
  const privateKey = parse(paths.key, 'private key', () => createPrivateKey(key))
  const leaf = parse(paths.chain, 'certificate', () => readChain(chain))
  if (!leaf.checkPrivateKey(privateKey)) {
    throw new StartError(`the private key ${paths.key} is not that of the certificate ${paths.chain}`)
  }
  return { key, chain, ...readAuthorities(paths.authorities), expiry: new Date(leaf.validTo) }
}

function readAuthorities(path: string | undefined): Pick<TlsMaterial, 'authorities'> {
  if (path === undefined) return {}
  const authorities = readLinkedText(path, 'the authorities')
  parse(path, 'certificate', () => readChain(authorities))
  return { authorities }
}

/**
 * Reads the same for a server that starts. Key and chain are two renames: where a host lost its power between them, one of
 * the two still lies beside its place, and with that one the server starts; `instead` is its path.
 */
export function readTlsAtStart(paths: ServerSettings['tls']): ReadTls & { readonly instead?: string } {
  try {
    return readTls(paths)
  } catch (error) {
    const pairs = [
      ...stagedCopies(paths.chain).map((chain) => ({ ...paths, chain, instead: chain })),
      ...stagedCopies(paths.key).map((key) => ({ ...paths, key, instead: key })),
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

/** The certificate that is shown, and what is wrong with a newer one in the files, if there is one. */
export type CertificateState = { readonly expiry: Date; readonly refused: string | undefined }

/** Milliseconds that the files must rest before they are read, and between looks without a notification. */
export type CertificateTiming = { readonly rest: number; readonly every: number }

type CertificateWatcher = {
  state(): CertificateState
  /** Reads the files at once, whether they seem to have changed or not. */
  reload(): void
  stop(): void
}

const usualTiming: CertificateTiming = { rest: 1000, every: 5000 }

/**
 * Follows the files of key and certificate: another pair in them is handed to `show` once both have rested. A
 * pair that does not fit, cannot be read or has expired is refused with one line in the log, and the pair before
 * stays until the files change again.
 */
export function watchCertificate(options: {
  readonly paths: ServerSettings['tls']
  /** The present certificate and key. */
  readonly shown: TlsMaterial & { readonly expiry: Date }
  readonly show: (tls: TlsMaterial) => void
  readonly now: () => Date
  readonly log: Log
  readonly timing?: CertificateTiming
}): CertificateWatcher {
  const { paths, show, now, log, timing = usualTiming } = options
  let shown = options.shown
  let refused: string | undefined
  /** Identity of the files that were checked last; none yet, for they may have changed since `shown` was read. */
  let judged = ''
  let latest = ''
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  const files = [paths.key, paths.chain, paths.authorities ?? []].flat()
  const identify = (): string => files.map(identifyFile).join()

  const hasExpired = (expiry: Date): StartError =>
    new StartError(`the certificate ${paths.chain} expired at ${expiry.toISOString()}`)

  const judge = (): void => {
    const tls = readTls(paths)
    const isNew = tls.key !== shown.key || tls.chain !== shown.chain
    const trustsOthers = tls.authorities !== shown.authorities
    if (isNew && tls.expiry <= now()) throw hasExpired(tls.expiry)
    if (isNew || trustsOthers) show(tls)
    shown = tls
    if (isNew) log.info({ expiry: tls.expiry }, 'a new certificate is shown from now on')
    if (trustsOthers) log.info('certificates of other hosts are checked against new authorities from now on')
    refused = undefined
  }

  const refuse = (error: unknown): void => {
    const why = error instanceof StartError ? error.message : reasonOf(error)
    refused = `the new certificate is refused, the one before stays: ${why}`
    log.error(refused)
  }

  const read = (): void => {
    if (isStopped) return
    const before = identify()
    try {
      judge()
    } catch (error) {
      // Files that change while they are read are checked when they rest.
      if (identify() === before) refuse(error)
    }
    judged = before
    if (identify() !== before) lookSoon()
  }

  const look = (): void => {
    timer = undefined
    const present = identify()
    const hasRested = present === latest
    latest = present
    if (present === judged) return
    if (hasRested) read()
    else lookSoon()
  }

  const lookSoon = (): void => {
    timer ??= setTimeout(look, timing.rest).unref()
  }

  const folders = [...new Set(files.map((file) => dirname(file)))]
  const watches = folders.map((folder) => watchFolder(folder, lookSoon))
  const interval = setInterval(lookSoon, timing.every).unref()
  lookSoon()

  return {
    state: () => ({ expiry: shown.expiry, refused }),
    reload: read,
    stop: () => {
      isStopped = true
      for (const end of watches) end()
      clearInterval(interval)
      clearTimeout(timer)
    },
  }
}
