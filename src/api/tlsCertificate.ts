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
    throw new StartError(`${path} is not a ${what} in PEM format`, error)
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
    throw new StartError(`the private key ${paths.key} does not match the certificate ${paths.chain}`)
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
 * the two still lies beside its place, and with that one the server starts; `stagedCopy` is its path.
 */
export function readTlsAtStart(paths: ServerSettings['tls']): ReadTls & { readonly stagedCopy?: string } {
  try {
    return readTls(paths)
  } catch (error) {
    const pairs = [
      ...stagedCopies(paths.chain).map((chain) => ({ ...paths, chain, stagedCopy: chain })),
      ...stagedCopies(paths.key).map((key) => ({ ...paths, key, stagedCopy: key })),
    ]
    for (const { stagedCopy, ...pair } of pairs) {
      const tls = readPair(pair)
      if (tls !== undefined) return { ...tls, stagedCopy }
    }
    throw error
  }
}

function readPair(paths: ServerSettings['tls']): ReadTls | undefined {
  try {
    return readTls(paths)
  } catch {
    return undefined
  }
}

/** Certificate in use, and why a newer one in the files was rejected, if there is one. */
export type CertificateState = { readonly expiry: Date; readonly rejected: string | undefined }

/** Milliseconds for which the files must not change before they are read, and between checks without a notification. */
export type CertificateTiming = { readonly settle: number; readonly interval: number }

type CertificateWatcher = {
  state(): CertificateState
  /** Reads the files at once, whether they seem to have changed or not. */
  reload(): void
  stop(): void
}

const defaultTiming: CertificateTiming = { settle: 1000, interval: 5000 }

/**
 * Follows the files of key and certificate: another pair in them is passed to `use` once both are stable. A
 * pair that does not fit, cannot be read or has expired is rejected with one line in the log, and the pair before
 * stays until the files change again.
 */
export function watchCertificate(options: {
  readonly paths: ServerSettings['tls']
  /** The present certificate and key. */
  readonly current: TlsMaterial & { readonly expiry: Date }
  readonly use: (tls: TlsMaterial) => void
  readonly now: () => Date
  readonly log: Log
  readonly timing?: CertificateTiming
}): CertificateWatcher {
  const { paths, use, now, log, timing = defaultTiming } = options
  let current = options.current
  let rejected: string | undefined
  /** Identity of the files that were checked last; none yet, for they may have changed since `current` was read. */
  let checkedFiles = ''
  let latest = ''
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  const files = [paths.key, paths.chain, paths.authorities ?? []].flat()
  const identify = (): string => files.map(identifyFile).join()

  const hasExpired = (expiry: Date): StartError =>
    new StartError(`the certificate ${paths.chain} expired at ${expiry.toISOString()}`)

  const checkFiles = (): void => {
    const tls = readTls(paths)
    const isNew = tls.key !== current.key || tls.chain !== current.chain
    const trustsOthers = tls.authorities !== current.authorities
    if (isNew && tls.expiry <= now()) throw hasExpired(tls.expiry)
    if (isNew || trustsOthers) use(tls)
    current = tls
    if (isNew) log.info({ expiry: tls.expiry }, 'the new certificate is in use')
    if (trustsOthers) log.info('the new authorities are in use for certificates of other hosts')
    rejected = undefined
  }

  const reject = (error: unknown): void => {
    const why = error instanceof StartError ? error.message : reasonOf(error)
    rejected = `the new certificate was rejected, the previous one stays in use: ${why}`
    log.error(rejected)
  }

  const read = (): void => {
    if (isStopped) return
    const before = identify()
    try {
      checkFiles()
    } catch (error) {
      // Files that change while they are read are checked once they are stable.
      if (identify() === before) reject(error)
    }
    checkedFiles = before
    if (identify() !== before) scheduleCheck()
  }

  const checkForChange = (): void => {
    timer = undefined
    const present = identify()
    const isStable = present === latest
    latest = present
    if (present === checkedFiles) return
    if (isStable) read()
    else scheduleCheck()
  }

  const scheduleCheck = (): void => {
    timer ??= setTimeout(checkForChange, timing.settle).unref()
  }

  const folders = [...new Set(files.map((file) => dirname(file)))]
  const watches = folders.map((folder) => watchFolder(folder, scheduleCheck))
  const interval = setInterval(scheduleCheck, timing.interval).unref()
  scheduleCheck()

  return {
    state: () => ({ expiry: current.expiry, rejected }),
    reload: read,
    stop: () => {
      isStopped = true
      for (const end of watches) end()
      clearInterval(interval)
      clearTimeout(timer)
    },
  }
}
