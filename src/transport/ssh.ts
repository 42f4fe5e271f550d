import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { createSemaphore } from '../base/concurrency.ts'
import type { Environment } from '../processes/environment.ts'
import type { Destination, Route } from './destination.ts'
import { readKnownHosts } from './hostKeys/hostKeyFiles.ts'
import { hostKeyPolicy, knownHostsLookup } from './hostKeys/hostKeyPolicy.ts'
import { type KnownHost, onlyAuthority } from './hostKeys/knownHosts.ts'
import { readHostKeys } from './hostKeys/readHostKeys.ts'
import { type ConnectedJumpHost, createJumpHosts, type Lease } from './jumpHosts.ts'
import { agentContents } from './login/agentContents.ts'
import { keysForOpenssh } from './login/keysForOpenssh.ts'
import { type LoginKeyDependencies, type LoginKeys, loginKeys } from './login/loginKeys.ts'
import { logIn, openStream } from './login/sshLogin.ts'
import { createOnce } from './once.ts'
import type { UsualConfig } from './openssh/opensshArguments.ts'
import { createOpensshConnector } from './openssh/opensshConnector.ts'
import type { ProxyStream, StartProxy } from './proxyCommand.ts'
import { type RetryOptions, retry } from './retry.ts'
import { type HostConnection, routeOf } from './route.ts'
import { type Become, channelsOf, startShell, sudoPasswordProblem } from './shell/sshShell.ts'
import type { SshConfigLookup } from './sshConfigLookup.ts'
import { isTransient, jumpHostError, type SshPlace } from './sshErrors.ts'
import { agentKeys, parseKey, type Session } from './sshSession.ts'
import type { ReadFile } from './sshTarget.ts'
import type { Transport } from './transport.ts'
import { TransportError } from './transportError.ts'

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
  /** Absent: only the built-in client connects. */
  readonly openssh?: { readonly env: Environment; readonly usual: UsualConfig }
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
  /** Lists what only the program ssh can do on a route; empty: the built-in client connects. */
  reasonsForOpenssh(route: Route): Promise<readonly string[]>
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
    const entries = await entriesOf(to)
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

  const jumpHosts = createJumpHosts<Session>(async (jump, through) => {
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

  const entriesOf = (to: Destination): Promise<readonly KnownHost[]> =>
    readKnownHosts(to.check.files, { readFile, once: filesRead })

  const openssh =
    dependencies.openssh === undefined
      ? undefined
      : createOpensshConnector({
          ...dependencies.openssh,
          ...{ keepalive, random, entriesOf },
          retry: (to, attempt) => withHandshakeSlot(() => retry(retryOptionsFor(to), attempt)),
          hostKeysOf: (to, through) =>
            shownKeys({ to, proxy: through?.session.proxyTo(to), through: undefined }),
        })

  const reasonsForOpenssh = async ({ jumps, target }: Route): Promise<readonly string[]> => {
    if (openssh === undefined || target.openssh === undefined) return []
    if (target.openssh.wanted) return ['transport: openssh']
    const reasons: string[] = []
    for (const to of [...jumps, target]) {
      reasons.push(...(to.openssh?.reasons ?? []))
      const authority =
        to.check.pinned === undefined ? onlyAuthority(await entriesOf(to), knownHostsLookup(to)) : undefined
      if (authority !== undefined) reasons.push(`@cert-authority in ${authority.file} line ${authority.line}`)
      reasons.push(...(await keysForOpenssh(to, { once, readFile, parseKey, agentContents })))
    }
    return reasons
  }

  const connect = async (wanted: HostConnection): Promise<Transport> => {
    const route = await findRoute(wanted)
    const { jumps, target } = route
    const become = becomeOf(wanted, target)
    const reasons = await reasonsForOpenssh(route)
    if (openssh !== undefined && reasons.length > 0)
      return openssh.connect(withReasons(route, reasons), become)
    const logIn = await preparedFor(target)
    const lease = await leaseOf(target.label, jumps)
    try {
      const logInAndStart = async (left: number) => {
        const session = await logIn(lease, left)
        const place = { ...target, host: target.label }
        return {
          session,
          transport: await startShell({ place, on: channelsOf(session), become, left, random }),
        }
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
      const route = await findRoute(wanted)
      if ((await reasonsForOpenssh(route)).length > 0) return
      for (const to of [...route.jumps, route.target]) await keysOf(to)
    } catch (error) {
      if (!(error instanceof TransportError)) throw error
    }
  }

  /** Reads keys over a connection of its own: from this machine, through a jump host, or by a ProxyCommand. */
  const shownKeys = (way: {
    readonly to: Destination
    readonly through: ConnectedJumpHost | undefined
    readonly proxy: string | undefined
  }): Promise<readonly Buffer[]> => {
    const { to, through, proxy } = way
    const place: SshPlace = { ...to, host: to.label }
    const via = proxy === undefined ? to : { ...to, proxyCommand: proxy.replaceAll('%%', '%') }
    return withStream({ to: via, through }, (open) =>
      readHostKeys({ place, open, retry: (attempt) => retry(retryOptionsFor(to), attempt) }),
    )
  }

  const hostKeysOf: SshConnector['hostKeysOf'] = async (to, way) => {
    // Keys of the way may have become known since.
    filesRead = createOnce()
    const byOpenssh = way.length > 0 && (await reasonsForOpenssh({ jumps: way, target: to })).length > 0
    if (openssh !== undefined && byOpenssh) {
      const lease = await openssh.lease(way)
      try {
        return await shownKeys({ to, through: undefined, proxy: lease?.session.proxyTo(to) })
      } finally {
        lease?.release()
      }
    }
    const lease = await leaseOf(to.label, way)
    try {
      return await shownKeys({ to, through: lease, proxy: undefined })
    } finally {
      lease?.release()
    }
  }

  return { prepare, connect, routeOf: findRoute, reasonsForOpenssh, hostKeysOf }
}

/** Adds the reasons to the target, for a message that ssh is missing. */
const withReasons = ({ jumps, target }: Route, reasons: readonly string[]): Route =>
  target.openssh === undefined
    ? { jumps, target }
    : { jumps, target: { ...target, openssh: { ...target.openssh, reasons } } }

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
