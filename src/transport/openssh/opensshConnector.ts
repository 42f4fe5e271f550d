import type { Duplex } from 'node:stream'
import type { Environment } from '../../processes/environment.ts'
import type { Destination, Route } from '../destination.ts'
import { hostKeyPolicy } from '../hostKeys/hostKeyPolicy.ts'
import type { KnownHost } from '../hostKeys/knownHosts.ts'
import { knownHostsLines } from '../hostKeys/knownHostsLines.ts'
import { compareHostKeys } from '../hostKeys/readHostKeys.ts'
import { createJumpHosts, type Lease } from '../jumpHosts.ts'
import { type Become, type ShellHost, startShell } from '../shell/sshShell.ts'
import { administrativelyProhibited, forwardError, jumpHostError } from '../sshErrors.ts'
import type { Transport } from '../transport.ts'
import { TransportError } from '../transportError.ts'
import { createConnectionFolders } from './connectionFolders.ts'
import {
  type ConnectionFiles,
  proxyThrough,
  serverArguments,
  type UsualConfig,
  unattended,
} from './opensshArguments.ts'
import { endReason, filesError, isLoggedIn, opensshError, refusedChannel } from './opensshErrors.ts'
import { lateEnd, type OpensshProcess, startOpenssh } from './opensshProcess.ts'
import { trustedLines } from './trustedLines.ts'

/** Connected jump host of the program ssh. */
type OpensshJump = {
  /** As `Session.ended`. */
  readonly ended: Promise<string>
  /** The ProxyCommand that leads to a server behind it. */
  proxyTo(next: Destination): string
  /** Explains why it has not connected to the next server, as far as it said so. */
  refusal(next: Destination): Promise<TransportError>
  end(): void
}

type OpensshConnector = {
  /** Connects, logs in and starts the shell. Rejects with `TransportError`. */
  connect(route: Route, become: Become): Promise<Transport>
  /** Connects the jump hosts before a server. Rejects with `TransportError` of the jump host. */
  lease(jumps: readonly Destination[]): Promise<Lease<OpensshJump> | undefined>
}

type Dependencies = {
  readonly env: Environment
  readonly usual: UsualConfig
  readonly keepalive: number
  readonly random: (bytes: number) => Buffer
  readonly entriesOf: (to: Destination) => Promise<readonly KnownHost[]>
  /** Runs attempts to log in and retries passing failures; hands over the remaining milliseconds. */
  readonly retry: <Result>(to: Destination, attempt: (left: number) => Promise<Result>) => Promise<Result>
  /** Reads the keys that a server shows, without a login. Rejects with `TransportError`. */
  readonly hostKeysOf: (
    to: Destination,
    through: Lease<OpensshJump> | undefined,
  ) => Promise<readonly Buffer[]>
}

type Trusted = { readonly lines: readonly string[]; readonly alias?: string }

/** Connects by the program ssh: one process for each host and each jump host. */
export function createOpensshConnector(dependencies: Dependencies): OpensshConnector {
  const { env, usual, keepalive, random } = dependencies
  const folders = createConnectionFolders(env)

  const start = (
    to: Destination,
    options: {
      readonly through: OpensshJump | undefined
      readonly trusted: Trusted
      readonly left: number
      readonly words: readonly string[]
      readonly more: readonly string[]
      readonly alone: boolean
    },
  ): Promise<OpensshProcess> => {
    const { through, trusted, left, words, more, alone } = options
    const { lines, ...alias } = trusted
    const parameters = (files: ConnectionFiles): readonly string[] => [
      ...unattended(to, files, { timeout: left, keepalive }),
      ...more,
      ...serverArguments({
        to,
        proxy: through?.proxyTo(to),
        trusted: { file: files.knownHosts, ...alias },
        usual,
      }),
      ...words,
    ]
    const variables = to.openssh?.variables ?? []
    const starting = startOpenssh({
      env,
      folders,
      variables,
      knownHosts: lines,
      arguments: parameters,
      alone,
    })
    return starting.catch((error) => {
      throw filesError(to, error)
    })
  }

  const trustedOf = async (to: Destination): Promise<Trusted> =>
    to.check.pinned === undefined ? trustedLines(to, await dependencies.entriesOf(to)) : { lines: [] }

  /**
   * Logs in with the known keys. A refused key is read without ssh, to tell what is wrong with it: it may also be
   * the pinned one, where ssh was shown another one or cannot compare fingerprints.
   */
  const withTrust = async <Result>(
    to: Destination,
    through: Lease<OpensshJump> | undefined,
    attempt: (trusted: Trusted) => Promise<Result>,
  ): Promise<Result> => {
    try {
      return await attempt(await trustedOf(to))
    } catch (error) {
      if (!(error instanceof TransportError) || error.jump !== undefined) throw error
      const noCommand = /bad configuration option: knownhostscommand/i.test(error.message)
      if (error.code !== 'host-key-unknown' && !(noCommand && to.check.pinned !== undefined)) throw error
      const shown = await dependencies.hostKeysOf(to, through)
      // ssh has judged the certificates.
      const entries = (await dependencies.entriesOf(to)).filter(({ marker }) => marker !== 'cert-authority')
      const { check } = hostKeyPolicy(to, entries)
      const right = shown.find((key) => check(key) === undefined)
      if (to.check.pinned !== undefined && right !== undefined) return attempt(pinnedLines(to, right))
      const found = compareHostKeys(to, entries, shown)
      const [first] = found.keys
      const problem = 'problem' in found ? found.problem : first && check(first.key)
      throw problem === undefined ? error : withLastLine(problem, error)
    }
  }

  const openJump = async (
    jump: Destination,
    through: Lease<OpensshJump> | undefined,
  ): Promise<OpensshJump> => {
    const ready = random(16).toString('hex')
    const more = ['-N', '-o', 'PermitLocalCommand=yes', '-o', `LocalCommand=echo ${ready}`]
    return withTrust(jump, through, (trusted) =>
      dependencies.retry(jump, async (left) => {
        const process = await start(jump, {
          ...{ through: through?.session, trusted, left, more, words: [], alone: true },
        })
        const failure = await loginFailure(process, { jump, ready, left, through: through?.session })
        if (failure === undefined) return jumpOver(process, jump)
        process.kill()
        throw failure
      }),
    )
  }

  const jumpHosts = createJumpHosts<OpensshJump>((jump, through) =>
    openJump(jump, through === undefined ? undefined : { ...through, release: () => undefined }),
  )

  const connect: OpensshConnector['connect'] = async ({ jumps, target }, become) => {
    let lease: Lease<OpensshJump> | undefined
    try {
      lease = await jumpHosts.lease(jumps)
    } catch (error) {
      throw error instanceof TransportError ? jumpHostError(target.label, error) : error
    }
    try {
      const place = { ...target, host: target.label }
      const { transport, ended } = await withTrust(target, lease, (trusted) =>
        dependencies.retry(target, async (left) => {
          const more = ['-o', 'PermitLocalCommand=no']
          const parts = { through: lease?.session, trusted, left, more, alone: false }
          const on = shellHost(target, lease?.session, (command) =>
            start(target, { ...parts, words: [command] }),
          )
          return { transport: await startShell({ place, on, become, left, random }), ended: on.ended }
        }),
      )
      ended.then(() => lease?.release())
      return transport
    } catch (error) {
      lease?.release()
      throw error
    }
  }

  return { connect, lease: (jumps) => jumpHosts.lease(jumps) }
}

/** Known key under an alias of our own, which tells ssh to look it up instead of asking for fingerprints. */
function pinnedLines(to: Destination, key: Buffer): Trusted {
  const alias = to.label.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-')
  const server = { label: alias, port: 22, check: { files: [], names: [alias] } }
  return { lines: knownHostsLines(server, { keys: [key], hashed: false, random: Buffer.alloc }), alias }
}

function withLastLine(problem: TransportError, { message }: TransportError): TransportError {
  const { host, code, fix } = problem
  const beneath = message.split('\n').slice(1)
  return new TransportError({ host, code, message: [problem.message, ...beneath].join('\n'), fix })
}

const jumpOver = ({ control, ended, log, kill }: OpensshProcess, { label }: Destination): OpensshJump => ({
  ended: ended.then(endReason),
  proxyTo: (next) => proxyThrough(control, next),
  refusal: async ({ label: next, address, port }) => {
    // The program of the next server is only told that it failed.
    const message = refusedChannel(await log()) ?? ''
    const reason = message.startsWith('administratively prohibited') ? administrativelyProhibited : undefined
    return forwardError({ jump: label, next, address, port }, { message, reason })
  },
  end: kill,
})

/** Explains a login that failed, or that did not begin since a jump host did not connect to the server. */
const loginError = async (
  to: Destination,
  through: OpensshJump | undefined,
  facts: Parameters<typeof opensshError>[1],
): Promise<TransportError> =>
  through !== undefined && /stdio forwarding .*failed/i.test(facts.said)
    ? through.refusal(to)
    : opensshError(to, facts)

/** Resolves once ssh has printed that line. */
const loggedIn = ({ stdout }: Pick<OpensshProcess, 'stdout'>, line: string): Promise<void> =>
  new Promise((resolve) => {
    let printed = ''
    const read = (chunk: Buffer): void => {
      printed = `${printed}${chunk.toString('latin1')}`.slice(-8 * line.length)
      if (!printed.includes(line)) return
      stdout.off('data', read)
      resolve()
    }
    stdout.on('data', read)
  })

/** Waits for the login on a jump host; resolves with the error of one that failed. */
async function loginFailure(
  process: OpensshProcess,
  login: {
    readonly jump: Destination
    readonly through: OpensshJump | undefined
    readonly ready: string
    readonly left: number
  },
): Promise<TransportError | undefined> {
  const { jump, through, ready, left } = login
  let said = ''
  process.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString('utf8')}`.slice(-4000)
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), left)
  })
  const end = await Promise.race([loggedIn(process, ready), process.ended, late])
  clearTimeout(timer)
  if (end === undefined) return undefined
  const facts = end === 'late' ? await lateEnd(process) : end
  return loginError(jump, through, { ...facts, said })
}

/** The shell is the command of the process itself, so this starts with it. */
function shellHost(
  to: Destination,
  through: OpensshJump | undefined,
  run: (command: string) => Promise<OpensshProcess>,
): ShellHost {
  let process: OpensshProcess | undefined
  const forwarded = new Set<Duplex>()
  let over: (reason: string) => void = () => undefined
  const ended = new Promise<string>((resolve) => {
    over = resolve
  })
  const kill = (): void => process?.kill()
  return {
    ended,
    end: kill,
    destroy: kill,
    dial: async (place) => {
      const stream = (await process?.forward(place)) ?? new Error('ssh has ended')
      if (stream instanceof Error) return stream
      forwarded.add(stream)
      stream.once('close', () => forwarded.delete(stream))
      return stream
    },
    start: async (command) => {
      const started = await run(command)
      process = started
      started.ended.then((end) => over(endReason(end)))
      const { stdin, stdout, stderr } = started
      stdin.once('finish', () => {
        // Otherwise ssh would wait for them after the shell.
        for (const stream of forwarded) stream.destroy()
      })
      return { stdin, stdout, stderr, ended }
    },
    loginError: async ({ said, timedOut }) => {
      if (process === undefined) return undefined
      if (isLoggedIn(await process.log())) return undefined
      const end = timedOut ? await lateEnd(process) : await process.ended
      return isLoggedIn(end.log) ? undefined : loginError(to, through, { ...end, said })
    },
  }
}
