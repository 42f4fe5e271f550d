import { basename, dirname } from 'node:path'
import type { ParsedKey } from 'ssh2'
import { errorCode } from '../../base/systemErrors.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { Destination, LoginKeyOptions } from '../destination.ts'
import type { Once } from '../once.ts'
import { TransportError } from '../transportError.ts'
import type { HeldKey } from './agentContents.ts'
import { isPkcs8, type KeyFile, type KeyFileDependencies, readKeyFile, unlock } from './keyFile.ts'

/** Builds the error for a login without keys: everything that was tried, and its problem. */
function noLoginKeyError(found: {
  /** Name of the host. */
  readonly label: string
  readonly options: LoginKeyOptions
  readonly files: readonly KeyFile[]
  /** Reason why no key of the agent can be used. */
  readonly agent: string
  /** Problems with locked files. */
  readonly problems: readonly string[]
}): TransportError {
  const { label, options, files, agent, problems } = found
  const locked = files.filter(({ kind }) => kind === 'locked').map(({ path }) => path)
  const unusable = files.flatMap((file) => (file.kind === 'unusable' ? [`${file.path} ${file.why}`] : []))
  const why = [agent, ...unusable, ...problems]
  return new TransportError({
    host: label,
    code: 'no-login-method',
    message:
      locked.length === 0
        ? `no key to log in to ${label}: ${why.join(', ')}, and ${missingFiles(options)}`
        : `all keys to log in to ${label} have a passphrase (${locked.join(', ')}), and ${why.join(', ')}`,
    fix:
      locked.length === 0
        ? 'Create a key with "ssh-keygen -t ed25519" and copy it to the host with ssh-copy-id, or set identity under ssh.'
        : unlockFix(locked),
  })
}

/** Names the files that would have been used. */
function missingFiles({ first, files }: LoginKeyOptions): string {
  const paths = [...first, ...files]
  const folders = new Set(paths.map((path) => dirname(path)))
  const [folder] = folders
  return folders.size === 1 && paths.length > 1
    ? `${folder} has none of ${paths.map((path) => basename(path)).join(', ')}`
    : `only ${paths.join(', ')} would be tried`
}

/** Explains how to convert a file that cannot be opened here. */
const rewriteFix = (path: string): string => `Convert it to the OpenSSH format: ssh-keygen -p -f ${path}`

/** Explains how to use keys with a passphrase. */
const unlockFix = (paths: readonly string[]): string =>
  `Add it to an agent: eval "$(ssh-agent)"; ssh-add ${paths.join(' ')}`

/** I/O for opening keys. */
type UnlockDependencies = KeyFileDependencies & {
  /** Asks a person for the passphrase of a file; undefined without a terminal or an input. */
  readonly askPassphrase?: (path: string) => Promise<Secret | undefined>
  /** Shared by all hosts: reads each agent and file once, and asks for each passphrase once. */
  readonly once: Once
}

/** Attempts per passphrase, as in ssh. */
const passphraseAttempts = 3

/** Asks for the passphrase and opens a locked file; else the reason as text, empty if nobody can be asked. */
const unlockOnce = (
  file: Extract<KeyFile, { kind: 'locked' }>,
  dependencies: UnlockDependencies,
): Promise<ParsedKey | string> =>
  dependencies.once(`unlock ${file.path}`, () => unlockNow(file, dependencies))

async function unlockNow(
  { path, text }: Extract<KeyFile, { kind: 'locked' }>,
  dependencies: UnlockDependencies,
): Promise<ParsedKey | string> {
  if (isPkcs8(text)) return 'is an encrypted PKCS#8 file, which muster cannot open'
  for (let attempt = 0; attempt < passphraseAttempts; attempt += 1) {
    const passphrase = await dependencies.askPassphrase?.(path)
    if (passphrase === undefined) return attempt === 0 ? '' : 'has a different passphrase'
    const key = unlock(text, passphrase, dependencies)
    if (key !== undefined) return key
  }
  return 'has a different passphrase'
}

/** One key to log in with, and its name for messages. */
export type LoginKey = {
  readonly label: string
  readonly key: ParsedKey
  /** Socket of the agent that signs; absent: the private key is here. */
  readonly agent?: string
}

export type LoginKeys = {
  /** In the order in which they are offered; never empty. */
  readonly keys: readonly LoginKey[]
  /** Keys that are not offered, with the reason. */
  readonly skipped: readonly string[]
}

export type LoginKeyDependencies = UnlockDependencies & {
  /** Public keys of the agent; rejects if it does not respond. */
  readonly agentKeys: (socket: string) => Promise<readonly ParsedKey[]>
  /** Everything in the agent, also types that ssh2 ignores. */
  readonly agentContents: (socket: string) => Promise<readonly HeldKey[]>
}

/** Finds the keys to try, in order. Rejects with `no-login-method` and the problems found. */
export async function loginKeys(
  { label, keys: options }: Pick<Destination, 'label' | 'keys'>,
  dependencies: LoginKeyDependencies,
): Promise<LoginKeys> {
  const agent = await fromAgent(options.socket, dependencies)
  const read = (paths: readonly string[]) =>
    Promise.all(paths.map((path) => dependencies.once(`key ${path}`, () => readKeyFile(path, dependencies))))
  const first = await read(options.first)
  const files = await read(options.files.filter((path) => !options.first.includes(path)))
  const found: Found = { label, options, agent, first, files }
  const keys = sortKeys(found)
  if (options.required) {
    for (const file of first)
      if (!keys.some(isOf(file))) return { keys: [await requiredKey(found, file, dependencies)], skipped: [] }
  }
  const certificates = await Promise.all(
    [...first, ...files].map((file) => certificateNote(file, dependencies)),
  )
  const skipped = [
    ...[...first, ...files].flatMap((file) => (keys.some(isOf(file)) ? [] : skippedText(file))),
    ...certificates.flat(),
    ...agent.unusable,
  ]
  if (keys.length > 0) return { keys, skipped }
  const problems: string[] = []
  for (const file of [...first, ...files]) {
    if (file.kind !== 'locked') continue
    const key = await unlockOnce(file, dependencies)
    if (typeof key !== 'string') return { keys: [{ label: file.path, key }], skipped }
    if (key !== '') problems.push(`${file.path} ${key}`)
  }
  const held = agent.problem ?? 'the agent holds none of them'
  throw noLoginKeyError({ label, options, files: [...first, ...files], agent: held, problems })
}

type Agent = {
  readonly keys: readonly LoginKey[]
  /** Keys of types that are not supported, as text. */
  readonly unusable: readonly string[]
  readonly problem?: string
}

type Found = {
  readonly label: string
  readonly options: LoginKeyOptions
  readonly agent: Agent
  readonly first: readonly KeyFile[]
  readonly files: readonly KeyFile[]
}

async function fromAgent(socket: string | undefined, dependencies: LoginKeyDependencies): Promise<Agent> {
  const without = (problem: string): Agent => ({ keys: [], unusable: [], problem })
  if (socket === undefined || socket === '') return without('no agent is running')
  try {
    const keys = await dependencies.once(`agent ${socket}`, () => dependencies.agentKeys(socket))
    const all = await dependencies.once(`contents of ${socket}`, () => dependencies.agentContents(socket))
    const named = keys.map((key) => ({ label: `${key.comment || key.type} (agent)`, key, agent: socket }))
    const unusable = all.flatMap(({ type, comment }) => {
      const kind = unsupportedKind(type)
      return kind === undefined
        ? []
        : [`${comment || type} (agent; ${kindText[kind](type)}, which only transport: openssh supports)`]
    })
    if (keys.length > 0) return { keys: named, unusable }
    if (unusable.length === 0) return without('the agent holds no key')
    return { keys: [], unusable, problem: `the agent holds only ${unusable.join(', ')}` }
  } catch (error) {
    return without(`the agent does not answer (${errorCode(error) ?? String(error)})`)
  }
}

/** Names the kind of a key that ssh2 cannot use (PROTOCOL.u2f, PROTOCOL.certkeys of OpenSSH). */
export function unsupportedKind(type: string): 'certificate' | 'token' | undefined {
  if (/-cert-v\d+@openssh\.com$/.test(type)) return 'certificate'
  return /^sk-/.test(type) ? 'token' : undefined
}

const kindText = {
  certificate: () => 'a certificate',
  token: (type: string) => `a key of a security token (${type})`,
}

function publicOf(file: KeyFile): ParsedKey | undefined {
  if (file.kind === 'key') return file.key
  return file.kind === 'locked' || file.kind === 'public' ? file.known : undefined
}

/** Compares the public parts: ssh2's own `equals` tells a private key from its public part. */
const isSame = (one: ParsedKey, other: ParsedKey): boolean => one.getPublicSSH().equals(other.getPublicSSH())

const isOf =
  (file: KeyFile) =>
  ({ key }: LoginKey): boolean => {
    const known = publicOf(file)
    return known !== undefined && isSame(key, known)
  }

/** Sorts keys as OpenSSH does (ssh_config(5), IdentityFile), after the required ones. */
function sortKeys({ options, agent, first, files }: Found): readonly LoginKey[] {
  const heldBy = (file: KeyFile): readonly LoginKey[] => {
    const held = agent.keys.find(isOf(file))
    return held === undefined ? [] : [{ ...held, label: `${file.path} (agent)` }]
  }
  const ownOf = (file: KeyFile): readonly LoginKey[] =>
    file.kind === 'key' ? [{ label: file.path, key: file.key }] : []
  const preferred = first.flatMap((file) => (file.kind === 'key' ? ownOf(file) : heldBy(file)))
  const others = options.agent === 'all' ? agent.keys : []
  const all = [...preferred, ...files.flatMap(heldBy), ...others, ...files.flatMap(ownOf)]
  return all.filter(({ key }, index) => all.findIndex((other) => isSame(other.key, key)) === index)
}

/** Returns the key of a required file; throws if it cannot be used. */
async function requiredKey(
  { label, agent }: Found,
  file: KeyFile,
  dependencies: LoginKeyDependencies,
): Promise<LoginKey> {
  const fail = (words: string, fix: string): TransportError =>
    new TransportError({
      host: label,
      code: 'no-login-method',
      message: `the key for ${label}, ${file.path}, ${words}`,
      fix,
    })
  const why = agent.problem ?? 'the agent does not hold it'
  switch (file.kind) {
    case 'locked': {
      const key = await unlockOnce(file, dependencies)
      if (typeof key !== 'string') return { label: file.path, key }
      const fix = isPkcs8(file.text) ? rewriteFix(file.path) : unlockFix([file.path])
      throw fail(key === '' ? `has a passphrase, and ${why}` : key, fix)
    }
    case 'public':
    case 'key':
      throw fail(`is a public key, and ${why}`, unlockFix([file.path.replace(/\.pub$/, '')]))
    default:
      throw fail(file.why, 'Set identity under ssh to a private key file in the format of ssh-keygen.')
  }
}

/** Reports the certificate that OpenSSH would offer with a key file, if there is one. */
async function certificateNote(
  file: KeyFile,
  dependencies: LoginKeyDependencies,
): Promise<readonly string[]> {
  if (file.kind === 'missing') return []
  const path = `${file.path.replace(/\.pub$/, '')}-cert.pub`
  const text = await dependencies.once(`key ${path}`, () =>
    dependencies.readFile(path).catch(() => undefined),
  )
  return text === undefined ? [] : [`${path} (a certificate, which only transport: openssh supports)`]
}

const skippedText = (file: KeyFile): readonly string[] => {
  switch (file.kind) {
    case 'locked':
      return [`${file.path} (has a passphrase)`]
    case 'unusable':
      return [`${file.path} (${file.why})`]
    default:
      return []
  }
}
