import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ssh2, { type Connection, type ServerChannel } from 'ssh2'
import { fingerprint } from '../../src/transport/hostKeys/knownHosts.ts'

/** What a server does wrong, from the moment it is set; connections that are open stay as they are. */
export type SshFault =
  | 'none'
  /** Takes the connection and says nothing. */
  | 'silent'
  /** Closes the connection before the banner, as sshd above MaxStartups does. */
  | 'close-before-banner'
  /** Says that it is an SSH server and resets the connection. */
  | 'reset-after-banner'
  /** Refuses every login. */
  | 'refuse-login'
  /** Logs in, but opens no session. */
  | 'refuse-session'

export type SshServerOptions = {
  /** Loopback address to listen on; 127.0.0.1 unless told. */
  readonly address?: string
  /** Types of its host keys, in the order of its preference; ed25519 unless told. */
  readonly hostKeys?: readonly ('ed25519' | 'rsa' | 'ecdsa')[]
  /** A public key of the first host key's type that it shows without having it: it signs with its own. */
  readonly shows?: Buffer
  /** The user that may log in; any unless told. */
  readonly user?: string
  /** The login shell of that user; /bin/sh unless told. */
  readonly shell?: string
  /** Printed by the login shell before a command, on both outputs, as a chatty .bashrc does. */
  readonly chatter?: string
  /** Environment of what runs there, instead of our own PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>
  /** OpenSSH public keys that may log in besides the generated one. */
  readonly authorizedKeys?: readonly string[]
  readonly fault?: SshFault
  /** Shown before the login (RFC 4252, section 5.4). */
  readonly banner?: string
  /** Serves the shell of each session of a user instead of a child process. */
  readonly serve?: (channel: ServerChannel, command: string, user: string) => void
  /** Lets connections through, as a jump host does, or takes them itself; neither unless told. */
  readonly forwarding?: boolean | ((channel: ServerChannel, to: ForwardGoal) => void)
  /** Has each connection as soon as its login succeeded. */
  readonly onLogin?: (connection: Connection) => void
}

/** Where a jump host was asked to connect to. */
export type ForwardGoal = { readonly address: string; readonly port: number }

/** A key pair in OpenSSH's format. */
export type KeyPair = { readonly private: string; readonly public: string }

export type SshServer = {
  readonly address: string
  readonly port: number
  /** Fingerprints of the host keys, in the order of `hostKeys`. */
  readonly hostKeyFingerprints: readonly string[]
  readonly hostKeyFingerprint: string
  /** Lines for known_hosts, one for each host key. */
  readonly hostKeyLine: string
  /** A known_hosts file with `hostKeyLine`. */
  readonly knownHostsPath: string
  /** A private key that may log in, and its public part in OpenSSH's format. */
  readonly clientKeyPath: string
  readonly clientPublicKey: string
  /** Connections made so far. */
  connections(): number
  /** Login attempts so far: user and key type. */
  logins(): readonly string[]
  /** Connections that were not logged in at the same time, at most: what sshd's MaxStartups counts. */
  mostHandshakes(): number
  /** Connections that are open. */
  open(): number
  /** Where it was asked to connect to, as `address:port`. */
  forwards(): readonly string[]
  /** Processes of sessions that are still running. */
  running(): number
  setFault(fault: SshFault): void
  /** Breaks every open connection: `reset`, or `freeze`: it stays open and nothing is answered any more. */
  breakConnections(how: 'reset' | 'freeze'): void
  /** Reads no more from the connections that are open now, until the answer is called. */
  pause(): () => void
  close(): Promise<void>
}

export function makeKey(type: 'ed25519' | 'rsa' | 'ecdsa'): KeyPair {
  if (type === 'ed25519') return soundKey(() => ssh2.utils.generateKeyPairSync('ed25519'))
  if (type === 'rsa') return ssh2.utils.generateKeyPairSync('rsa', { bits: 2048 })
  return ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 })
}

/** An ed25519 key with a passphrase. */
export const makeLockedKey = (passphrase: string): KeyPair =>
  soundKey(
    () => ssh2.utils.generateKeyPairSync('ed25519', { passphrase, cipher: 'aes256-ctr', rounds: 2 }),
    passphrase,
  )

/** One ed25519 key in 250 that ssh2 1.17 makes is damaged; OpenSSH cannot read it either. */
function soundKey(make: () => KeyPair, passphrase?: string): KeyPair {
  for (;;) {
    const key = make()
    if (!(ssh2.utils.parseKey(key.private, passphrase) instanceof Error)) return key
  }
}

/** The known_hosts field of a host on a port. */
export const knownHostsName = (address: string, port: number): string =>
  port === 22 ? address : `[${address}]:${port}`

const publicBytes = (key: KeyPair): Buffer => Buffer.from(key.public.split(' ')[1] ?? '', 'base64')

/**
 * An SSH server in this process, on loopback, that runs what it is told as a child of ours: a host that
 * needs no sshd. Several of them are several hosts that share one file system.
 */
export async function startSshServer(options: SshServerOptions = {}): Promise<SshServer> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-sshd-'))
  const address = options.address ?? '127.0.0.1'
  const hostKeys = (options.hostKeys ?? ['ed25519']).map((type) => makeKey(type))
  const clientKey = makeKey('ed25519')
  const authorized = [clientKey.public, ...(options.authorizedKeys ?? [])].map((line) =>
    ssh2.utils.parseKey(line),
  )
  const sockets = new Set<Socket>()
  const children = new Set<ChildProcess>()
  const attempts: string[] = []
  const asked: string[] = []
  let fault = options.fault ?? 'none'
  let count = 0

  const greeting = new Set<object>()
  let mostHandshakes = 0

  const privateKeys =
    options.shows === undefined
      ? hostKeys.map((key) => key.private)
      : [showing(options.shows, hostKeys[0] ?? makeKey('ed25519'))]
  const settings = { hostKeys: privateKeys, ...(options.banner && { banner: options.banner }) }
  const ssh = new ssh2.Server(settings, (connection) => {
    // A client that goes away resets: nobody's business here.
    connection.on('error', () => undefined)
    greeting.add(connection)
    mostHandshakes = Math.max(mostHandshakes, greeting.size)
    connection.on('close', () => greeting.delete(connection))
    let user = ''
    connection.on('authentication', (context) => {
      user = context.username
      if (context.method !== 'publickey') return context.reject(['publickey'])
      attempts.push(`${context.username} ${context.key.algo}`)
      const key = authorized.find((known) => !(known instanceof Error) && known.equals(context.key.data))
      const known = key !== undefined && !(key instanceof Error)
      const isUser = options.user === undefined || options.user === context.username
      if (fault === 'refuse-login' || !known || !isUser) return context.reject(['publickey'])
      if (context.signature === undefined || context.blob === undefined) return context.accept()
      if (key.verify(context.blob, context.signature, context.hashAlgo)) context.accept()
      else context.reject(['publickey'])
    })
    connection.on('ready', () => {
      greeting.delete(connection)
      serve(connection, user)
    })
  })

  const forward = (accept: () => ServerChannel, reject: () => void, to: ForwardGoal) => {
    asked.push(`${to.address}:${to.port}`)
    if (typeof options.forwarding === 'function') {
      const channel = accept()
      channel.on('error', () => undefined)
      return options.forwarding(channel, to)
    }
    const socket = connect(to.port, to.address)
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      const channel = accept()
      socket.on('error', () => channel.close())
      channel.on('error', () => undefined)
      socket.pipe(channel).pipe(socket)
      channel.once('close', () => socket.destroy())
    })
  }

  const serve = (connection: Connection, user: string): void => {
    options.onLogin?.(connection)
    if (options.forwarding !== undefined && options.forwarding !== false) {
      connection.on('tcpip', (accept, reject, { destIP, destPort }) =>
        forward(accept, reject, { address: destIP, port: destPort }),
      )
    }
    connection.on('session', (accept, reject) => {
      if (fault === 'refuse-session') return reject()
      const start = options.serve ?? execute
      accept().on('exec', (acceptExec, _reject, info) => start(acceptExec(), info.command, user))
    })
  }

  const execute = (channel: ServerChannel, command: string): void => {
    if (options.chatter !== undefined) {
      channel.write(options.chatter)
      channel.stderr.write(options.chatter)
    }
    const env = options.env ?? { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: folder }
    const child = spawn(options.shell ?? '/bin/sh', ['-c', command], { env, detached: true })
    children.add(child)
    channel.on('error', () => undefined)
    child.stdin.on('error', () => undefined)
    channel.pipe(child.stdin)
    child.stdout.pipe(channel, { end: false })
    child.stderr.pipe(channel.stderr, { end: false })
    child.once('exit', () => children.delete(child))
    child.once('close', (code, signal) => {
      if (signal === null) channel.exit(code ?? 255)
      else channel.exit(signal.replace('SIG', ''))
      channel.end()
    })
    // As sshd does: the connection's end is the end of the command's input, and nobody reads on.
    channel.once('close', () => {
      child.stdin.end()
      child.stdout.destroy()
      child.stderr.destroy()
    })
  }

  const door = createServer((socket) => {
    count += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
    if (fault === 'silent') return
    socket.setNoDelay(true)
    if (fault === 'close-before-banner') socket.end()
    else if (fault === 'reset-after-banner') socket.write('SSH-2.0-test\r\n', () => socket.resetAndDestroy())
    else ssh.injectSocket(socket)
  })
  await new Promise<void>((resolve) => door.listen(0, address, resolve))
  const bound = door.address()
  if (bound === null || typeof bound === 'string') throw new Error('no port')

  const name = knownHostsName(address, bound.port)
  const hostKeyLine = hostKeys
    .map((key) => `${name} ${key.public.split(' ').slice(0, 2).join(' ')}\n`)
    .join('')
  const clientKeyPath = join(folder, 'id_ed25519')
  const knownHostsPath = join(folder, 'known_hosts')
  await writeFile(clientKeyPath, clientKey.private, { mode: 0o600 })
  await writeFile(knownHostsPath, hostKeyLine)
  const hostKeyFingerprints = hostKeys.map((key) => fingerprint(publicBytes(key)))

  return {
    address,
    port: bound.port,
    hostKeyFingerprints,
    hostKeyFingerprint: hostKeyFingerprints[0] ?? '',
    hostKeyLine,
    knownHostsPath,
    clientKeyPath,
    clientPublicKey: clientKey.public,
    connections: () => count,
    logins: () => attempts,
    mostHandshakes: () => mostHandshakes,
    open: () => sockets.size,
    forwards: () => asked,
    running: () => children.size,
    setFault: (next) => {
      fault = next
    },
    breakConnections: (how) => {
      for (const socket of sockets) {
        if (how === 'reset') socket.resetAndDestroy()
        else freeze(socket)
      }
    },
    pause: () => {
      const paused = [...sockets]
      for (const socket of paused) socket.pause()
      return () => {
        for (const socket of paused) socket.resume()
      }
    },
    close: async () => {
      const closed = new Promise((resolve) => door.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
      for (const child of children) child.kill('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A host key that is shown as another one. */
function showing(shown: Buffer, own: KeyPair) {
  const parsed = ssh2.utils.parseKey(own.private)
  if (parsed instanceof Error) throw parsed
  parsed.getPublicSSH = () => shown
  // The types leave out that a key may come parsed.
  return { key: parsed as unknown as Buffer, passphrase: '' }
}

/** Nothing is read and nothing is said any more, but the connection stays. */
function freeze(socket: Socket): void {
  socket.removeAllListeners('data')
  socket.pause()
  socket.write = () => true
}
