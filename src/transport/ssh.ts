import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { createSemaphore } from '../base/concurrency.ts'
import type { Destination, Route } from './destination.ts'
import { readKnownHosts } from './hostKeys/hostKeyFiles.ts'
import { hostKeyPolicy } from './hostKeys/hostKeyPolicy.ts'
import { readHostKeys } from './hostKeys/readHostKeys.ts'
import { createJumpHosts, type Lease } from './jumpHosts.ts'
import { agentContents } from './login/agentContents.ts'
import { type LoginKeyDependencies, type LoginKeys, loginKeys } from './login/loginKeys.ts'
import { type ConnectedJumpHost, logIn, openStream } from './login/sshLogin.ts'
import { createOnce } from './once.ts'
import type { ProxyStream, StartProxy } from './proxyCommand.ts'
import { type HostConnection, routeOf } from './route.ts'
import { type Become, startShell, sudoPasswordProblem } from './shell/sshShell.ts'
import type { SshConfigLookup } from './sshConfigLookup.ts'
import { isTransient, jumpHostError, type SshPlace } from './sshErrors.ts'
import { agentKeys, parseKey, type Session } from './sshSession.ts'
import type { ReadFile } from './sshTarget.ts'
import type { Transport } from './transport.ts'
import { TransportError } from './transportError.ts'

/** Retries wait for a random time, so that a hundred hosts do not reconnect at the same moment. */
export type RetryOptions = {
  /** Maximum number of attempts. */
  readonly attempts: number
  /** Milliseconds after the first attempt in which another one may start. */
  readonly budget: number
  readonly isRetryable: (error: unknown) => boolean
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Returns a random number from 0 up to 1. */
  readonly random: () => number
}

/**
 * Repeats `attempt` while its failure is a passing one; throws the last one. `attempt` gets the remaining
 * whole milliseconds. Waits 200 to 400 ms, then twice, then four times that.
 */
export async function retry<Result>(
  options: RetryOptions,
  attempt: (left: number) => Promise<Result>,
): Promise<Result> {
  const end = options.now() + options.budget
  for (let round = 1; ; round += 1) {
    try {
      return await attempt(Math.max(1, Math.ceil(end - options.now())))
    } catch (error) {
      if (round >= options.attempts || !options.isRetryable(error)) throw error
      const pause = 200 * 2 ** (round - 1) * (1 + options.random())
      if (options.now() + pause >= end) throw error
      await options.sleep(pause)
    }
  }
}

/**
 * Connects unless the command is stopped: then it rejects at once with a `TransportError`, code `stopped`,
 * and closes a connection that still opens.
 */
export async function connectUnlessStopped(
  { host, signal }: { readonly host: string; readonly signal: AbortSignal },
  connect: () => Promise<Transport>,
): Promise<Transport> {
  const stopped = (): TransportError =>
    new TransportError({
      host,
      code: 'stopped',
      message: 'the command was stopped before it connected to the host',
      fix: 'Run the command again.',
    })
  if (signal.aborted) throw stopped()
  const connecting = connect()
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      reject(stopped())
      connecting.then(
        (transport) => transport.close(),
        () => undefined,
      )
    }
    signal.addEventListener('abort', stop, { once: true })
    connecting.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** I/O and state for connecting. */
type SshDependencies = {
  readonly readFile: ReadFile
  readonly random?: (bytes: number) => Buffer
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
  readonly sleep?: (milliseconds: number) => Promise<unknown>
  /** Milliseconds between two keepalive requests; default 5,000. */
  readonly keepalive?: number
  /** Logins at a time. */
  readonly handshakes?: number
  /** Absent: ssh_config is ignored. */
  readonly askSsh?: SshConfigLookup
  readonly startProxy?: StartProxy
  readonly askPassphrase?: LoginKeyDependencies['askPassphrase']
}

/** Connects the hosts of one run: what they share is connected, read and asked for once. */
export type SshConnector = {
  /**
   * Resolves the route to a host and its keys in advance, so that all passphrases are asked for together.
   * Never rejects: `connect` reports the errors.
   */
  prepare(wanted: HostConnection): Promise<void>
  /**
   * Connects, checks every host key on the route, logs in and starts the shell. Rejects with
   * `TransportError`.
   */
  connect(wanted: HostConnection): Promise<Transport>
  /** Resolves the route to a host without connecting. Rejects with `TransportError`, code `ssh-config`. */
  routeOf(wanted: HostConnection): Promise<Route>
  /**
   * Reads the host keys of a server without a login there. `way` are the jump hosts before it: muster logs in
   * to them, and their keys must be known. Rejects with `TransportError`.
   */
  hostKeysOf(to: Destination, way: readonly Destination[]): Promise<readonly Buffer[]>
}

const maxAttempts = 4

/** Usual number of concurrent logins of all hosts: sshd, also that of a jump host, drops connections above `MaxStartups 10:30:100` (sshd_config(5)). */
export const concurrentHandshakes = 10

/** Connects to one host that shares nothing with others. */
export const connectSsh = (options: HostConnection & SshDependencies): Promise<Transport> =>
  createSshConnector(options).connect(options)

export function createSshConnector(dependencies: SshDependencies): SshConnector {
  const { readFile, random = randomBytes, now = () => performance.now(), keepalive = 5000 } = dependencies
  const once = createOnce()
  /** Cache of known_hosts files. */
  let filesRead = createOnce()
  const withHandshakeSlot = createSemaphore(dependencies.handshakes ?? concurrentHandshakes)

  const retryOptionsFor = ({ timeout }: Destination): RetryOptions => ({
    attempts: maxAttempts,
    budget: timeout,
    isRetryable: isTransient,
    now,
    sleep: async (milliseconds) => void (await (dependencies.sleep ?? pause)(milliseconds)),
    random: () => random(2).readUInt16BE() / 0x10000,
  })

  const askSsh: SshConfigLookup = dependencies.askSsh ?? (async () => undefined)
  const findRoute = (wanted: HostConnection): Promise<Route> =>
    once(`route ${wanted.host} ${JSON.stringify(wanted.ssh)}`, () => routeOf(wanted, askSsh))
  const keysOf = (to: Destination): Promise<LoginKeys> => {
    const { askPassphrase } = dependencies
    const ask = askPassphrase === undefined ? {} : { askPassphrase }
    return loginKeys(to, { readFile, parseKey, agentKeys, agentContents, once, ...ask })
  }

  /** Runs work that opens connections to a destination; adds the output of a ProxyCommand to a failure. */
  const withStream = async <Result>(
    way: { readonly to: Destination; readonly through: ConnectedJumpHost | undefined },
    work: (open: (left: number) => Promise<Duplex>) => Promise<Result>,
  ): Promise<Result> => {
    const proxies: ProxyStream[] = []
    const startProxy = async (command: string): Promise<Duplex> => {
      if (dependencies.startProxy === undefined) throw noProxy(way.to.label)
      const proxy = await dependencies.startProxy(command)
      proxies.push(proxy)
      return proxy.stream
    }
    try {
      return await work((left) => openStream({ ...way, left, startProxy }))
    } catch (error) {
      throw withProxyOutput(error, (await proxies.at(-1)?.errorOutput()) ?? '')
    }
  }

  /** Prepares the values that every login attempt there needs. */
  const preparedFor = async (to: Destination) => {
    const entries = await readKnownHosts(to.check.files, { readFile, once: filesRead })
    const login = await keysOf(to)
    const place: SshPlace = { ...to, host: to.label }
    return (through: ConnectedJumpHost | undefined, left: number): Promise<Session> => {
      const followed =
        through === undefined ? {} : { through: { label: through.label, gone: through.session.ended } }
      return withStream({ to, through }, (openWithin) => {
        const policy = hostKeyPolicy(to, entries)
        const open = () => openWithin(left)
        return logIn({ place, policy, login, left, keepalive, open, ...followed })
      })
    }
  }

  const jumpHosts = createJumpHosts(async (jump, through) => {
    const logIn = await preparedFor(jump)
    return withHandshakeSlot(() => retry(retryOptionsFor(jump), (left) => logIn(through, left)))
  })

  const leaseOf = async (host: string, jumps: readonly Destination[]): Promise<Lease | undefined> => {
    try {
      return await jumpHosts.lease(jumps)
    } catch (error) {
      if (error instanceof TransportError) throw jumpHostError(host, error)
      throw error
    }
  }

  const connect = async (wanted: HostConnection): Promise<Transport> => {
    const { jumps, target } = await findRoute(wanted)
    const become = becomeOf(wanted, target)
    const logIn = await preparedFor(target)
    const lease = await leaseOf(target.label, jumps)
    try {
      const logInAndStart = async (left: number) => {
        const session = await logIn(lease, left)
        const place = { ...target, host: target.label }
        return { session, transport: await startShell({ place, session, become, left, random }) }
      }
      const { session, transport } = await withHandshakeSlot(() =>
        retry(retryOptionsFor(target), logInAndStart),
      )
      if (lease !== undefined) session.ended.then(lease.release)
      return transport
    } catch (error) {
      lease?.release()
      throw error
    }
  }

  const prepare = async (wanted: HostConnection): Promise<void> => {
    try {
      const { jumps, target } = await findRoute(wanted)
      for (const to of [...jumps, target]) await keysOf(to)
    } catch (error) {
      if (!(error instanceof TransportError)) throw error
    }
  }

  const hostKeysOf: SshConnector['hostKeysOf'] = async (to, way) => {
    // Keys of the way may have become known since.
    filesRead = createOnce()
    const lease = await leaseOf(to.label, way)
    const place: SshPlace = { ...to, host: to.label }
    try {
      return await withStream({ to, through: lease }, (open) =>
        readHostKeys({ place, open, retry: (attempt) => retry(retryOptionsFor(to), attempt) }),
      )
    } finally {
      lease?.release()
    }
  }

  return { prepare, connect, routeOf: findRoute, hostKeysOf }
}

/** Throws for a password that sudo could not read. */
function becomeOf({ host, ssh, becomePassword: password }: HostConnection, { user }: Destination): Become {
  if (!ssh.become || user === 'root') return false
  const unfit = password === undefined ? undefined : sudoPasswordProblem(password)
  if (unfit === undefined) return password === undefined ? {} : { password }
  throw new TransportError({
    host,
    code: 'sudo-refused',
    message: `the password of ${user} for sudo on ${host} ${unfit}`,
    fix: 'Correct the source of become-password under ssh: it must contain only the password, on one line.',
  })
}

const noProxy = (host: string): TransportError =>
  new TransportError({
    host,
    code: 'ssh-config',
    message: `ssh_config sets ProxyCommand for ${host}, but no program can be started here`,
    fix: 'Set jump under ssh instead.',
  })

/** Adds the output of the ProxyCommand to a failed login, since it is more exact. */
function withProxyOutput(error: unknown, words: string): unknown {
  if (words === '' || !(error instanceof TransportError)) return error
  const { host, code, message, fix, cause } = error
  return new TransportError({
    host,
    code,
    message: `${message}; its ProxyCommand printed: ${words}`,
    fix,
    cause,
  })
}
