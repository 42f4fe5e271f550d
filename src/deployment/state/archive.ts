import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { Secret } from '../../secrets/secret.ts'
import type { ClusterState } from './clusterState.ts'
import { decodeState } from './decodeState.ts'
import { StateError } from './stateError.ts'
import { encodeState, type StateFiles } from './stateFiles.ts'

/** First line of an archive, unencrypted but authenticated. */
type ArchiveHeader = {
  readonly version: 1
  readonly cluster: string
  /** scrypt's cost: N = 2^logN. */
  readonly logN: number
  readonly r: number
  readonly p: number
  readonly salt: Buffer
  /** Nonce of AES-GCM, 12 bytes. */
  readonly nonce: Buffer
  /** Eight bytes that only the correct passphrase yields. */
  readonly check: Buffer
}

const magic = 'muster-state '

/** Limits the memory for opening to 128 * N * r bytes: 1 GiB. */
const maxLogN = 20
const maxR = 8

function headerLine(header: ArchiveHeader): Buffer {
  const { salt, nonce, check, ...rest } = header
  const texts = {
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    check: check.toString('base64'),
  }
  return Buffer.from(`${magic}${JSON.stringify({ ...rest, ...texts })}\n`)
}

/** Undefined for a line that is no header, or one that asks for too much work. */
function readHeader(line: Buffer): ArchiveHeader | undefined {
  const text = line.toString('utf8')
  if (!text.startsWith(magic)) return undefined
  try {
    const { version, cluster, logN, r, p, salt, nonce, check } = JSON.parse(
      text.slice(magic.length),
    ) as Record<string, unknown>
    if (version !== 1 || typeof cluster !== 'string') return undefined
    if (!isCount(logN, maxLogN) || !isCount(r, maxR) || !isCount(p, 4)) return undefined
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

/**
 * Cost for new archives: with N = 2^17 and r = 8 scrypt takes 128 MiB and about half a second, also per guess of an
 * attacker.
 */
const defaultLogN = 17
const minPassphraseLength = 12
const tagLength = 16

/** Encrypts a whole state into one file: scrypt, then AES-256-GCM, which also authenticates the header. */
export async function sealArchive(options: {
  readonly cluster: string
  readonly state: ClusterState
  readonly passphrase: Secret
  readonly random?: (size: number) => Buffer
  /** Lower only in tests. */
  readonly logN?: number
}): Promise<Buffer> {
  const { cluster, state, passphrase, random = randomBytes } = options
  const cost = { logN: options.logN ?? defaultLogN, r: 8, p: 1 }
  if ([...passphrase.reveal()].length < minPassphraseLength) {
    throw new StateError({
      code: 'weak-passphrase',
      message: `the passphrase has fewer than ${minPassphraseLength} characters`,
      fix: 'use a longer one, such as five random words: the archive contains the key of the authority',
    })
  }
  const salt = random(16)
  const nonce = random(12)
  const { key, check } = await deriveKey({ passphrase, salt, ...cost })
  const line = headerLine({ version: 1, cluster, ...cost, salt, nonce, check })
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(line)
  const content = Buffer.concat([cipher.update(packFiles(encodeState(state))), cipher.final()])
  return Buffer.concat([line, content, cipher.getAuthTag()])
}

/** Decrypts the state of that cluster; `name` is the file's name in errors. Throws `StateError`. */
export async function openArchive(options: {
  readonly name: string
  readonly cluster: string
  readonly archive: Buffer
  readonly passphrase: Secret
}): Promise<ClusterState> {
  const { name, cluster, archive } = options
  const line = archive.subarray(0, archive.indexOf('\n') + 1)
  const header = readHeader(line)
  if (header === undefined) {
    throw new StateError({
      code: 'not-an-archive',
      message: `${name} is not an archive of \`muster state export\`, or is of a newer version`,
      fix: 'use the file that `muster state export` wrote',
    })
  }
  if (header.cluster !== cluster) {
    throw new StateError({
      code: 'archive-of-other-cluster',
      message: `${name} holds the state of cluster \`${header.cluster}\`, not of \`${cluster}\``,
      fix: `use the archive of \`${cluster}\`, or the YAML file of \`${header.cluster}\``,
    })
  }
  const { key, check } = await deriveKey({ passphrase: options.passphrase, ...header })
  if (!check.equals(header.check)) {
    throw new StateError({
      code: 'wrong-passphrase',
      message: `wrong passphrase for ${name}`,
      fix: 'use the passphrase from `muster state export`',
    })
  }
  const content = decipher({ header, line, key, sealed: archive.subarray(line.length) })
  const files = content === undefined ? undefined : unpackFiles(content)
  if (files === undefined) {
    throw new StateError({
      code: 'archive-damaged',
      message: `${name} was modified or truncated`,
      fix: 'copy it again, or export it again where the state is',
    })
  }
  return decodeState(files, name)
}

function decipher(options: {
  header: ArchiveHeader
  line: Buffer
  key: Buffer
  sealed: Buffer
}): Buffer | undefined {
  const { header, sealed } = options
  if (sealed.length < tagLength) return undefined
  const cipher = createDecipheriv('aes-256-gcm', options.key, header.nonce, { authTagLength: tagLength })
  cipher.setAAD(options.line).setAuthTag(sealed.subarray(sealed.length - tagLength))
  try {
    return Buffer.concat([cipher.update(sealed.subarray(0, sealed.length - tagLength)), cipher.final()])
  } catch {
    return undefined
  }
}

/**
 * Derives the key, and eight bytes that distinguish a wrong passphrase from a damaged file without revealing the key.
 */
async function deriveKey(options: {
  passphrase: Secret
  salt: Buffer
  logN: number
  r: number
  p: number
}): Promise<{ key: Buffer; check: Buffer }> {
  const N = 2 ** options.logN
  const { r, p } = options
  const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)
  const text = options.passphrase.reveal().normalize('NFC')
  const bytes = await derive(text, options.salt, 64, { N, r, p, maxmem: 256 * N * r })
  return {
    key: bytes.subarray(0, 32),
    check: createHash('sha256').update(bytes.subarray(32)).digest().subarray(0, 8),
  }
}

const packFiles = (files: StateFiles): Buffer =>
  Buffer.from(
    JSON.stringify(
      Object.fromEntries([...files].map(([path, content]) => [path, content.toString('base64')])),
    ),
  )

function unpackFiles(content: Buffer): StateFiles | undefined {
  try {
    const packed = JSON.parse(content.toString('utf8')) as Record<string, string>
    return new Map(Object.entries(packed).map(([path, text]) => [path, Buffer.from(text, 'base64')]))
  } catch {
    return undefined
  }
}
