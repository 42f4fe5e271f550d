import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import ssh2, { type AuthHandlerMiddleware, type Client, type ClientChannel, type ParsedKey } from 'ssh2'
import { ciphers, keyExchanges, macs, otherHostKeyAlgorithms } from './algorithms.ts'
import { codeOf, dial } from './dial.ts'
import type { ShellStreams } from './exchange.ts'
import { openFramedShell } from './framedShell.ts'
import { readKnownHosts } from './hostKeyFiles.ts'
import { type HostKeyPolicy, hostKeyPolicy } from './hostKeyPolicy.ts'
import { typeOfKey } from './knownHosts.ts'
import { type LoginKey, loginKeys } from './loginKeys.ts'
import { retry } from './retry.ts'
import { remoteCommand } from './shellLoop.ts'
import { shellRefusal } from './shellRefusal.ts'
import { shellTransport } from './shellTransport.ts'
import { watchSilence } from './silence.ts'
import { attemptError, type Progress, passes, type SshPlace } from './sshErrors.ts'
import type { ReadFile, SshEnvironment, SshTarget } from './sshTarget.ts'
import type { Transport } from './transport.ts'
import { TransportError } from './transportError.ts'

export type ConnectSsh = {
  /** Name in the YAML. */
  readonly host: string
  /** What is dialled: a name or an IP address. */
  readonly address: string
  readonly ssh: SshTarget
  readonly env: SshEnvironment
  readonly readFile: ReadFile
  readonly random?: (bytes: number) => Buffer
  /** Milliseconds from any start. */
  readonly now?: () => number
  readonly sleep?: (milliseconds: number) => Promise<unknown>
  /** Milliseconds between two questions whether the host is still there; 5,000 unless told. */
  readonly keepalive?: number
}

/** Unanswered questions after which a host counts as dead: 10 to 15 s. */
const silenceLimit = 2
const attempts = 4

/** Connects, checks the host's key, logs in and starts the shell. Rejects with `TransportError`. */
export async function connectSsh(options: ConnectSsh): Promise<Transport> {
  const { host, address, ssh, env, readFile, random = randomBytes, now = () => performance.now() } = options
  const user = ssh.user ?? env.user
  const { files, entries } = await readKnownHosts({ ssh, env, readFile })
  const names = [address, host]
  const policy = hostKeyPolicy({ host, names, port: ssh.port, pinned: ssh.hostKey, entries, files })
  const keys = await loginKeys({ host, ssh, env, readFile, parseKey: ssh2.utils.parseKey, agentKeys })
  const place = { host, address, port: ssh.port, user, timeout: ssh.timeout }
  const keepalive = options.keepalive ?? 5000
  const terms = {
    attempts,
    budget: ssh.timeout,
    passes,
    now,
    sleep: async (milliseconds: number) => void (await (options.sleep ?? pause)(milliseconds)),
    chance: () => random(2).readUInt16BE() / 0x10000,
  }
  return retry(terms, async (left) => {
    const session = await logInAs({ place, policy, keys, left, keepalive, agent: env.agentSocket })
    return startShell({ place, session, sudo: ssh.become && user !== 'root', left, random })
  })
}

type Attempt = {
  readonly place: SshPlace
  readonly policy: HostKeyPolicy
  readonly keys: readonly LoginKey[]
  /** Milliseconds. */
  readonly left: number
  readonly keepalive: number
  readonly agent: string | undefined
}

type Session = {
  readonly client: Client
  /** Resolves with the reason when the connection has ended. */
  readonly gone: Promise<string>
}

/** A host has several keys and shows one: where another one is pinned, it is asked for the others. */
async function logInAs(attempt: Attempt): Promise<Session> {
  const shown: string[] = []
  const judge = (key: Buffer): TransportError | undefined => {
    shown.push(typeOfKey(key) ?? '')
    return attempt.policy.judge(key)
  }
  const logInWith = (algorithms: HostKeyPolicy['algorithms']): Promise<Session> =>
    logIn({ ...attempt, policy: { ...attempt.policy, judge, algorithms } })
  const wrongKey = (error: unknown): boolean =>
    error instanceof TransportError && error.code === 'host-key-changed'
  try {
    return await logInWith(attempt.policy.algorithms)
  } catch (first) {
    if (!attempt.policy.pinned || !wrongKey(first)) throw first
    for (;;) {
      const algorithms = otherHostKeyAlgorithms(shown)
      if (algorithms.length === 0) throw first
      const outcome = await logInWith(algorithms).catch((error: unknown) => ({ error }))
      if (!('error' in outcome)) return outcome
      if (!wrongKey(outcome.error)) throw first
    }
  }
}

async function logIn(attempt: Attempt): Promise<Session> {
  const { place, policy, left } = attempt
  const socket = await dial({ ...place, timeout: left })
  const client = new ssh2.Client()
  const progress: Progress = { greeted: false, agreed: false, tried: [], offered: [], partial: false }
  let denied: TransportError | undefined
  let reason: string | undefined
  let exhausted: () => void = () => undefined

  const ready = new Promise<void>((resolve, reject) => {
    const fail = (cause: Error | 'late' | undefined): void => {
      clearTimeout(timer)
      reject(denied ?? attemptError(place, progress, cause))
      socket.destroy()
    }
    exhausted = () => fail(undefined)
    const timer = setTimeout(() => fail('late'), left)
    // This listener stays for the whole life of the client: an error without one would end the program.
    client.on('error', (error: Error & { readonly level?: string }) => {
      if (error.level === 'agent') return
      reason ??= wordsFor(error)
      fail(error)
    })
    client.on('close', () => fail(undefined))
    client.on('handshake', () => {
      progress.agreed = true
    })
    client.on('ready', () => {
      clearTimeout(timer)
      resolve()
    })
  })
  const gone = new Promise<string>((resolve) => {
    client.on('close', () => resolve(reason ?? 'the host closed it'))
  })

  client.connect({
    sock: socket,
    username: place.user,
    readyTimeout: 0,
    keepaliveInterval: attempt.keepalive,
    // ssh2 only asks; `watchSilence` judges, because any byte is a sign of life, not just an answer.
    keepaliveCountMax: Number.MAX_SAFE_INTEGER,
    algorithms: {
      kex: [...keyExchanges],
      serverHostKey: [...policy.algorithms],
      cipher: [...ciphers],
      hmac: [...macs],
      compress: ['none'],
    },
    hostVerifier: (key: Buffer): boolean => {
      denied = policy.judge(key)
      return denied === undefined
    },
    authHandler: keyByKey(attempt, progress, () => exhausted()),
  })
  socket.on('data', (chunk: Buffer) => {
    progress.greeted ||= /^SSH-/m.test(chunk.toString('latin1'))
  })
  await ready
  watchSilence({
    socket,
    interval: attempt.keepalive,
    limit: silenceLimit,
    onSilent: () => {
      reason ??= 'it no longer answers'
      socket.destroy()
    },
  })
  return { client, gone }
}

/** Offers one key after another, without the `none` probe that costs a round trip. */
function keyByKey(
  { place, keys, agent }: Attempt,
  progress: Progress,
  exhausted: () => void,
): AuthHandlerMiddleware {
  const waiting = [...keys]
  return (offered, partial, next) => {
    // ssh2 hands null before the host's first answer, whatever the types say.
    progress.offered = offered ?? []
    progress.partial = partial === true
    const key =
      progress.partial || (offered ?? ['publickey']).includes('publickey') ? waiting.shift() : undefined
    if (key === undefined) return exhausted()
    progress.tried.push(key.label)
    if (!key.agent) return next({ type: 'publickey', username: place.user, key: key.key })
    const signer = ssh2.createAgent(agent ?? '')
    signer.getIdentities = (give) => give(undefined, [key.key])
    next({ type: 'agent', username: place.user, agent: signer })
  }
}

function agentKeys(socket: string): Promise<readonly ParsedKey[]> {
  return new Promise((resolve, reject) => {
    ssh2.createAgent(socket).getIdentities((error, keys) => {
      if (error) return reject(error)
      const parsed = (keys ?? []).flatMap((key) =>
        typeof key === 'string' || !('pubKey' in key) ? [ssh2.utils.parseKey(key)] : [],
      )
      resolve(parsed.filter((key): key is ParsedKey => !(key instanceof Error)))
    })
  })
}

const wordsFor = (error: Error): string => (codeOf(error) === 'ECONNRESET' ? 'it was reset' : error.message)

async function startShell(options: {
  readonly place: SshPlace
  readonly session: Session
  readonly sudo: boolean
  /** Milliseconds. */
  readonly left: number
  readonly random: (bytes: number) => Buffer
}): Promise<Transport> {
  const { place, session, sudo, left, random } = options
  const { host, user } = place
  const { client } = session
  const nonce = random(16).toString('hex')
  const refuse = (facts: { said: string; why: string; timedOut: boolean }): TransportError => {
    client.destroy()
    return shellRefusal({ host, user, sudo, ...facts })
  }
  const opened = await openChannel(client, remoteCommand({ nonce, sudo }))
  if (opened instanceof Error) throw refuse({ said: '', why: opened.message, timedOut: false })
  const channel = opened
  const ended = new Promise<string>((resolve) => channel.on('close', () => resolve('the shell there ended')))
  const streams: ShellStreams = {
    stdin: channel,
    stdout: channel,
    stderr: channel.stderr,
    // The connection's own reason says more; it comes in the same turn as the end of the channel.
    gone: Promise.race([session.gone, ended.then((why) => pause(0, why))]),
    cut: () => client.destroy(),
  }
  const shell = await openFramedShell({ host, streams, nonce, timeout: left, random })
  if (!shell.ready) throw refuse(shell)
  streams.gone.then(() => client.end())
  return shellTransport({ host, streams, shell: shell.shell, random })
}

function openChannel(client: Client, command: string): Promise<ClientChannel | Error> {
  return new Promise((resolve) => {
    try {
      client.exec(command, (error, channel) => {
        if (error) return resolve(error)
        channel.on('error', () => undefined)
        resolve(channel)
      })
    } catch (error) {
      resolve(error instanceof Error ? error : new Error(String(error)))
    }
  })
}
