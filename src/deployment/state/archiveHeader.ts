/** The first line of an archive, in the clear; what is encrypted covers it. */
export type ArchiveHeader = {
  readonly version: 1
  readonly cluster: string
  /** scrypt's cost: N = 2^logN. */
  readonly logN: number
  readonly r: number
  readonly p: number
  readonly salt: Buffer
  /** AES-GCM's, 12 bytes. */
  readonly nonce: Buffer
  /** Eight bytes that only the right passphrase gives. */
  readonly check: Buffer
}

const magic = 'muster-state '

/** The most memory that opening may take is 128 * N * r bytes: 1 GiB. */
const mostLogN = 20
const mostR = 8

export function headerLine(header: ArchiveHeader): Buffer {
  const { salt, nonce, check, ...rest } = header
  const texts = {
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    check: check.toString('base64'),
  }
  return Buffer.from(`${magic}${JSON.stringify({ ...rest, ...texts })}\n`)
}

/** Undefined for a line that is no header, or one that asks for absurd work. */
export function readHeader(line: Buffer): ArchiveHeader | undefined {
  const text = line.toString('utf8')
  if (!text.startsWith(magic)) return undefined
  try {
    const { version, cluster, logN, r, p, salt, nonce, check } = JSON.parse(
      text.slice(magic.length),
    ) as Record<string, unknown>
    if (version !== 1 || typeof cluster !== 'string') return undefined
    if (!isCount(logN, mostLogN) || !isCount(r, mostR) || !isCount(p, 4)) return undefined
    const bytes = [salt, nonce, check].map((one) => Buffer.from(typeof one === 'string' ? one : '', 'base64'))
    const [saltBytes, nonceBytes, checkBytes] = bytes
    if (saltBytes?.length !== 16 || nonceBytes?.length !== 12 || checkBytes?.length !== 8) return undefined
    return { version, cluster, logN, r, p, salt: saltBytes, nonce: nonceBytes, check: checkBytes }
  } catch {
    return undefined
  }
}

const isCount = (value: unknown, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most
