import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { hashPassword } from '../../src/accounts/passwordHash.ts'
import { formatUserFile } from '../../src/accounts/userFile.ts'
import { createAuthority } from '../../src/certificates/authority.ts'
import { issueLeaf } from '../../src/certificates/leaf.ts'
import type { ServerSettings } from '../../src/contracts/serverSettings.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { freePort } from '../../test/support/ports.ts'

/** User and password of everybody who looks. */
export const login = { user: 'ada', password: 'right' } as const

/** A manager in a process of its own, whose dashboard is at `https://db1:PORT/dashboard/`. */
export type DashboardManager = {
  readonly pid: number
  readonly port: number
  /** PEM file of the authority of its certificate. */
  readonly authority: string
  /** Collects the garbage of the process; resolves to the bytes that its objects need. */
  readonly collect: () => Promise<number>
  readonly stop: () => Promise<void>
}

/** Starts the manager of db1; `settings` are those of its services and checks. Passwords of databases are `watching`. */
export async function startDashboardManager(
  settings: Pick<ServerSettings, 'services'> & Partial<ServerSettings>,
): Promise<DashboardManager> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'))
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  const now = new Date()
  const authority = await createAuthority({ cluster: 'alpha', now })
  const leaf = await issueLeaf({ authority, names: ['db1'], addresses: [], lifetimeDays: 2, now })
  const authorities = file('authorities.pem', authority.certificate)
  const hash = await hashPassword({ password: new Secret(login.password), salt: randomBytes(16) })
  const port = await freePort()
  const listen = { address: '127.0.0.1', port }
  const path = file(
    'settings.json',
    JSON.stringify({
      version: 1,
      cluster: 'alpha',
      host: 'db1',
      component: 'manager',
      listen,
      socket: join(folder, 'manager.sock'),
      tls: { key: file('key.pem', leaf.key.reveal()), chain: file('chain.pem', leaf.chain), authorities },
      usersFile: file(
        'users.json',
        formatUserFile({ version: 1, users: [{ user: login.user, access: 'full', hash }] }),
      ),
      auditFile: join(folder, 'audit.jsonl'),
      allowedHosts: ['db1'],
      remoteBootstrap: false,
      logLevel: 'warn',
      stateFile: join(folder, 'manager.json'),
      secretsFile: file('secrets.json', JSON.stringify({ 'monitor-password': 'watching' })),
      member: { service: 'alpha', datasource: 'db1', witness: false },
      dashboard: [
        {
          ...{ name: 'db1', address: '127.0.0.1', names: ['db1'], certificateWarningDays: 30 },
          apis: [{ component: 'manager', listen }],
        },
      ],
      ...settings,
    } satisfies ServerSettings),
  )
  const child: ChildProcess = spawn(
    process.execPath,
    [
      '--expose-gc',
      '--require',
      './test/soak/reportHeap.cjs',
      'dist/muster-api.cjs',
      'serve',
      '--settings',
      path,
    ],
    { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], env: {} },
  )
  const ended = once(child, 'exit')
  if (child.stdout) createInterface({ input: child.stdout }).on('line', () => undefined)
  await untilItListens(port, child)
  return {
    pid: child.pid ?? 0,
    port,
    authority: authorities,
    collect: async () => {
      child.send('heap')
      const [{ bytes }] = await once(child, 'message')
      return bytes
    },
    stop: async () => {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function untilItListens(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the manager ended with ${child.exitCode}`)
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    } finally {
      socket.destroy()
    }
  }
}
