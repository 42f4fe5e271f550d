import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  lockName,
  releaseScript,
  statusScript,
  takeScript,
} from '../../../src/deployment/lock/lockScripts.ts'
import type { RunOwner } from '../../../src/deployment/lock/runOwner.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const installDirectory = '/home/ops/muster'
const name = lockName(installDirectory)
const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()

/** An operator without root's rights, and a neighbour who can write the temporary directory, too. */
const uid = 70_000 + (process.pid % 10_000)
const neighbour = uid + 10_000

const owner = (id: string): RunOwner => ({
  ...{ id, operation: 'install', cluster: 'alpha', user: 'ann', machine: 'desk', machineId: 'b', pid: 42 },
})

describe.skipIf(process.getuid?.() !== 0)('the lock of a user other than root (needs root)', () => {
  let home: string
  let env: NodeJS.ProcessEnv
  let runs: ChildProcess[]
  const inTemporary = `/tmp/muster-${uid}`
  const place = (): string => join(home, '.local/state/muster/locks')
  const lock = (): string => join(place(), `${name}-${boot}`)
  const asUser = ['--reuid', String(uid), '--regid', String(uid), '--clear-groups', 'sh']

  beforeEach(() => {
    runs = []
    home = temporaryFolder()
    chownSync(home, uid, uid)
    const bin = temporaryFolder()
    chmodSync(bin, 0o755)
    const entry = `ops:x:${uid}:${uid}:Operator,,,:${home}:/bin/sh`
    writeFileSync(join(bin, 'getent'), `#!/bin/sh\n[ "$*" = "passwd ${uid}" ] && echo '${entry}'\n`, {
      mode: 0o755,
    })
    env = { PATH: `${bin}:${process.env.PATH}`, HOME: '/nonexistent' }
  })
  afterEach(async () => {
    await Promise.all(runs.map(end))
    rmSync(inTemporary, { recursive: true, force: true })
  })

  const end = (run: ChildProcess): Promise<unknown> => {
    if (run.exitCode !== null || run.signalCode !== null) return Promise.resolve()
    const gone = new Promise((resolve) => run.once('exit', resolve))
    run.stdin?.end()
    return gone
  }

  /** Runs a script in a shell that stays until its input ends; resolves with the first line of its output. */
  const start = (script: string, more: NodeJS.ProcessEnv = {}): Promise<string> => {
    const run = spawn('setpriv', asUser, {
      cwd: '/',
      env: { ...env, ...more },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    runs.push(run)
    return new Promise((resolve, reject) => {
      let output = ''
      run.once('error', reject)
      run.once('exit', () => resolve(output.split('\n')[0] ?? ''))
      run.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.includes('\n')) resolve(output.split('\n')[0] ?? '')
      })
      run.stdin.write(`${script}\n`)
    })
  }
  const take = (id: string, more?: NodeJS.ProcessEnv): Promise<string> =>
    start(takeScript({ installDirectory, owner: owner(id) }), more)
  const ask = (script: string): string =>
    execFileSync('setpriv', [...asUser, '-c', script], { cwd: '/', env, encoding: 'utf8' })
  const ownerIn = (line: string): string => Buffer.from(line.split('\t')[3] ?? '', 'base64').toString()

  it('is in the home, so that no folder of another user in /tmp can block it', async () => {
    mkdirSync(inTemporary, { mode: 0o777 })
    chownSync(inTemporary, neighbour, neighbour)
    expect(await take('run-1')).toBe('taken')
    expect(existsSync(lock())).toBe(true)
    expect(await take('run-2')).toMatch(/^held\t/)
    expect(ask(releaseScript(installDirectory, 'run-1'))).toBe('released\n')
    expect(existsSync(lock())).toBe(false)
    expect(readdirSync(inTemporary)).toEqual([])
  })

  it('leaves nothing after its release except folders with another lock', async () => {
    const other = takeScript({ installDirectory: '/home/ops/other', owner: owner('run-2') })
    expect([await take('run-1'), await start(other)]).toEqual(['taken', 'taken'])
    expect(ask(releaseScript(installDirectory, 'run-1'))).toBe('released\n')
    expect(readdirSync(place()).sort()).toContain('gate')
    expect(ask(statusScript('/home/ops/other'))).toMatch(/^held\t/)
    expect(ask(releaseScript('/home/ops/other', 'run-2'))).toBe('released\n')
    expect(readdirSync(place())).toEqual([])
    expect(existsSync(inTemporary)).toBe(false)
  })

  it.each([
    ['of the operator', () => ['setpriv', ...asUser, '-c']],
    // With a /run of its own.
    ['of root', () => ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs tmpfs /run && exec sh -c "$0"']],
  ])(
    'excludes concurrent runs %s however often its files are created and removed',
    async (who, argv) => {
      const [program = '', ...words] = argv()
      const go = `inside=${join(home, 'inside')}
for go in $(seq 30); do
  said=$(sh -c "$take")
  case $said in
    taken*) mkdir "$inside" || echo clash; rmdir "$inside"; sh -c "$let" >/dev/null; echo done ;;
    failed*) echo "$said" ;;
  esac
done`
      const ids = ['run-1', 'run-2', 'run-3', 'run-4']
      const vars = ids.flatMap((id) => {
        const key = id.replace('-', '')
        return [
          [`take_${key}`, takeScript({ installDirectory, owner: owner(id) })],
          [`let_${key}`, releaseScript(installDirectory, id)],
        ]
      })
      const all = ids.map((id) => {
        const key = id.replace('-', '')
        return `( take=$take_${key}; let=$let_${key}; export take let; ${go}\n ) &`
      })
      const script = `${all.join('\n')}\nwait; ls -A ${who === 'of root' ? '/run' : place()}`
      const said = execFileSync(program, [...words, script], {
        cwd: '/',
        env: { ...env, ...Object.fromEntries(vars) },
        encoding: 'utf8',
      })
      expect(said).not.toMatch(/clash|failed/)
      expect(said).toMatch(/^(?:done\n)+$/)
    },
    120_000,
  )

  it.each([
    ['a folder of root', (trap: string) => mkdirSync(inTemporary, { mode: 0o700 }) ?? trap],
    ['a link to a folder of the operator', (trap: string) => symlinkSync(trap, inTemporary) ?? trap],
    ['a file', (trap: string) => writeFileSync(inTemporary, '') ?? trap],
  ])('is acquired and writes nothing if %s has the name of older locks', async (_, plant) => {
    const trap = join(home, 'precious')
    mkdirSync(trap, { mode: 0o700 })
    chownSync(trap, uid, uid)
    plant(trap)
    expect(await take('run-1')).toBe('taken')
    expect(readdirSync(trap)).toEqual([])
    if (lstatSync(inTemporary).isDirectory()) expect(readdirSync(inTemporary)).toEqual([])
  })

  it('is the same in every environment: SSH, cron and desktop', async () => {
    expect(await take('run-1', { XDG_RUNTIME_DIR: temporaryFolder(), HOME: '/' })).toBe('taken')
    expect(ownerIn(await take('run-2', { HOME: temporaryFolder() }))).toContain('"run-1"')
  })

  it('is not shared by hosts with one home or by an earlier boot', async () => {
    mkdirSync(join(place(), `${name}-00000000-0000-4000-8000-000000000000`), { recursive: true })
    execFileSync('chown', ['-R', `${uid}:${uid}`, join(home, '.local')])
    chmodSync(place(), 0o700)
    expect(ask(statusScript(installDirectory))).toBe('free\n')
    expect(await take('run-1')).toBe('taken')
  })

  it('reports why neither home nor runtime directory can be used', async () => {
    chownSync(home, 0, 0)
    expect(await take('run-1')).toMatch(/^failed\t\/run\/user\/\d+\/muster could not be created/)
    chownSync(home, uid, uid)
    mkdirSync(place(), { recursive: true, mode: 0o777 })
    chownSync(place(), neighbour, neighbour)
    expect(await take('run-1')).toMatch(/^failed\t/)
  })

  it('is acquired at once if the script that removed it was ended in between', async () => {
    expect(await take('run-1')).toBe('taken')
    rmSync(join(lock(), 'id'))
    for (const run of runs) run.kill('SIGKILL')
    expect(await take('run-2')).toBe('taken')
    expect(ownerIn(await take('run-3'))).toContain('"run-2"')
  })

  it('is released if its shell has ended', async () => {
    expect(await take('run-1')).toBe('taken')
    for (const run of runs) run.kill('SIGKILL')
    await expect.poll(() => existsSync(lock())).toBe(false)
  })
})
