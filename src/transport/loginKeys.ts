import { join } from 'node:path'
import type { ParsedKey } from 'ssh2'
import { codeOf } from './dial.ts'
import type { ReadFile, SshEnvironment, SshTarget } from './sshTarget.ts'
import { TransportError } from './transportError.ts'

/** One key to log in with, and how a message calls it. */
export type LoginKey = {
  readonly label: string
  readonly key: ParsedKey
  /** Whether the agent signs. */
  readonly agent: boolean
}

type Options = {
  readonly host: string
  readonly ssh: SshTarget
  readonly env: SshEnvironment
  readonly readFile: ReadFile
  readonly parseKey: (text: Buffer) => ParsedKey | Error
  /** The agent's public keys; rejects when it cannot be asked. */
  readonly agentKeys: (socket: string) => Promise<readonly ParsedKey[]>
}

const usualNames = ['id_ed25519', 'id_ecdsa', 'id_rsa']

/** The keys to try, in order: never empty. Rejects with `no-login-method`, saying what stood in the way. */
export async function loginKeys(options: Options): Promise<readonly LoginKey[]> {
  const agent = await fromAgent(options)
  return options.ssh.identity === undefined
    ? usualKeys(options, agent)
    : [await identityKey(options, options.ssh.identity, agent)]
}

type Agent = { readonly keys: readonly LoginKey[]; readonly trouble?: string }

async function fromAgent({ env, agentKeys }: Options): Promise<Agent> {
  if (env.agentSocket === undefined || env.agentSocket === '') return { keys: [], trouble: 'no agent runs' }
  try {
    const keys = await agentKeys(env.agentSocket)
    const named = keys.map((key) => ({ label: `${key.comment || key.type} (agent)`, key, agent: true }))
    return keys.length === 0 ? { keys: [], trouble: 'the agent holds no key' } : { keys: named }
  } catch (error) {
    return { keys: [], trouble: `the agent does not answer (${codeOf(error) ?? String(error)})` }
  }
}

type FileKey =
  | { readonly kind: 'key'; readonly key: ParsedKey }
  | { readonly kind: 'encrypted' }
  | { readonly kind: 'missing' | 'unusable'; readonly why: string }

async function readKey({ readFile, parseKey }: Options, path: string): Promise<FileKey> {
  let text: Buffer
  try {
    text = await readFile(path)
  } catch (error) {
    const code = codeOf(error)
    return {
      kind: code === 'ENOENT' ? 'missing' : 'unusable',
      why: `cannot be read (${code ?? String(error)})`,
    }
  }
  if (text.includes('BEGIN ENCRYPTED PRIVATE KEY')) return { kind: 'encrypted' }
  const key = parseKey(text)
  if (!(key instanceof Error)) {
    return key.isPrivateKey() ? { kind: 'key', key } : { kind: 'unusable', why: 'is no private key' }
  }
  return /encrypted/i.test(key.message)
    ? { kind: 'encrypted' }
    : { kind: 'unusable', why: `is no key that can be used here (${key.message})` }
}

async function identityKey(options: Options, path: string, agent: Agent): Promise<LoginKey> {
  const found = await readKey(options, path)
  if (found.kind === 'key') return { label: path, key: found.key, agent: false }
  const fail = (message: string, fix: string): TransportError =>
    new TransportError({ host: options.host, code: 'no-login-method', message, fix })
  if (found.kind !== 'encrypted') {
    throw fail(
      `the key for ${options.host}, ${path}, ${found.why}`,
      'Correct identity under ssh: it names a private key file in the format that ssh-keygen writes.',
    )
  }
  const publicKey = await publicKeyOf(options, `${path}.pub`)
  const held = agent.keys.find(({ key }) => publicKey !== undefined && key.equals(publicKey))
  if (held !== undefined) return { ...held, label: `${path} (agent)` }
  const why = agent.trouble ?? 'the agent does not hold it'
  throw fail(`the key for ${options.host}, ${path}, has a passphrase, and ${why}`, unlock([path]))
}

async function publicKeyOf(options: Options, path: string): Promise<ParsedKey | undefined> {
  const text = await options.readFile(path).catch(() => undefined)
  const key = text === undefined ? undefined : options.parseKey(text)
  return key instanceof Error ? undefined : key
}

async function usualKeys(options: Options, agent: Agent): Promise<readonly LoginKey[]> {
  const paths = usualNames.map((name) => join(options.env.home, '.ssh', name))
  const found = await Promise.all(paths.map(async (path) => ({ path, file: await readKey(options, path) })))
  const files = found.flatMap(({ path, file }) =>
    file.kind === 'key' && !agent.keys.some(({ key }) => key.equals(file.key))
      ? [{ label: path, key: file.key, agent: false }]
      : [],
  )
  const keys = [...agent.keys, ...files]
  if (keys.length > 0) return keys
  const locked = found.filter(({ file }) => file.kind === 'encrypted').map(({ path }) => path)
  throw new TransportError({
    host: options.host,
    code: 'no-login-method',
    message:
      locked.length === 0
        ? `there is no key to log in to ${options.host} with: ${agent.trouble}, and ${join(options.env.home, '.ssh')} has none of ${usualNames.join(', ')}`
        : `the only keys to log in to ${options.host} with have a passphrase (${locked.join(', ')}), and ${agent.trouble}`,
    fix:
      locked.length === 0
        ? 'Make a key with "ssh-keygen -t ed25519" and put it on the host with ssh-copy-id, or name one as identity under ssh.'
        : unlock(locked),
  })
}

const unlock = (paths: readonly string[]): string =>
  `Give it to an agent: eval "$(ssh-agent)"; ssh-add ${paths.join(' ')}`
