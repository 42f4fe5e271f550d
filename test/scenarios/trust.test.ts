import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { makeKey, type SshServer, startSshServer } from '../support/sshServer.ts'
import { type Outcome, words } from './support/operator.ts'
import { createWorld, type World } from './support/world.ts'

type Told = { readonly name: string; readonly result: string; readonly keys: readonly unknown[] }

/** Keys that nobody knows are shown, and known afterwards to ssh and to every command; nothing else is. */
describe.skipIf(process.platform !== 'linux')('muster trust (needs Linux and ssh-keygen)', () => {
  let world: World
  let jump: SshServer
  let file: string

  const describeHosts = (more: Readonly<Record<string, string>> = {}, name?: string) =>
    world.describe({
      hosts: world.hosts.map((host) => {
        const { 'known-hosts': _, ...ssh } = host.ssh
        return { ...host, ssh: name === undefined || name === host.name ? { ...ssh, ...more } : ssh }
      }),
    })
  const through = () => ({ jump: `${world.host('db1').ssh.user}@${jump.address}:${jump.port}` })
  const results = ({ stdout }: Outcome): readonly string[] =>
    JSON.parse(stdout).servers.map(({ name, result, keys }: Told) => `${name} ${result} ${keys.length}`)
  const states = ({ stdout }: Outcome): readonly string[] =>
    JSON.parse(stdout).hosts.map(({ host, state }: { host: string; state: string }) => `${host} ${state}`)
  const reached = ['db1 not-installed', 'db2 not-installed']
  const known = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  const attempts = () => [jump, ...world.hosts.map(({ server }) => server)].map((one) => one.logins().length)

  beforeAll(async () => {
    world = await createWorld(2)
    file = join(world.operator.home, '.ssh', 'known_hosts')
    jump = await startSshServer({
      address: '127.0.0.9',
      hostKeys: ['rsa', 'ed25519', 'ecdsa'],
      forwarding: true,
      authorizedKeys: world.hosts.map(({ server }) => server.clientPublicKey),
    })
  })
  afterEach(() => {
    rmSync(file, { force: true })
    for (const { server } of world.hosts) server.setFault('none')
  })
  afterAll(async () => {
    await jump?.close()
    await world?.close()
  })

  it('asks about every new key, accepts a fingerprint as the answer, and logs in nowhere', async () => {
    describeHosts()
    const [one, two] = world.hosts.map(({ server }) => server)
    const wrong = `SHA256:${'A'.repeat(43)}`
    const typed = `perhaps\n${wrong}\n${one?.hostKeyFingerprint}=\nno\n`
    const outcome = await world.muster('trust', [], { typed })
    expect(outcome.code).toBe(1)
    expect(outcome.stdout).toContain(`  ED25519  ${one?.hostKeyFingerprint}\n`)
    expect(outcome.stdout).toContain(`  ED25519  ${two?.hostKeyFingerprint}\n`)
    expect(outcome.stderr).toContain('db1 did not show this fingerprint.')
    expect(outcome.stderr.match(/Trust the 1 key of db1\? \[yes\/no\/all\/fingerprint\] /g)).toHaveLength(3)
    expect(outcome.stderr).toContain('Trust the 1 key of db2? [yes/no/fingerprint] ')
    expect(known()).toBe(one?.hostKeyLine)
    expect([statSync(file).mode & 0o777, statSync(join(file, '..')).mode & 0o777]).toEqual([0o600, 0o700])
    expect(attempts()).toEqual([0, 0, 0])
    expect(states(await world.muster('status', ['--json']))).toEqual(['db1 not-installed', 'db2 failed'])
    expect(words(await world.muster('plan'))).toContain('Run `muster trust`, which shows the key')
  })

  it('reads the keys behind a jump host only after its key is trusted', async () => {
    describeHosts(through())
    const before = attempts()
    const alone = await world.muster('trust', ['--json'])
    expect(results(alone)).toEqual(['the jump host 127.0.0.9 untrusted 3', 'db1 behind 0', 'db2 behind 0'])
    expect(alone).toMatchObject({ code: 1, stderr: '' })
    expect(known()).toBe('')
    expect(attempts()).toEqual(before)
    const outcome = await world.muster('trust', [], { typed: 'yes\nall\n' })
    expect(outcome, words(outcome)).toMatchObject({ code: 0 })
    expect(outcome.stdout).toContain('and 1 jump host: 3 trusted now.\n')
    expect(attempts().slice(1)).toEqual(before.slice(1))
    const again = await world.muster('trust', ['--json'])
    expect(results(again)).toEqual(['the jump host 127.0.0.9 known 3', 'db1 known 1', 'db2 known 1'])
    expect(again.code).toBe(0)
    expect(states(await world.muster('status', ['--json']))).toEqual(reached)
  })

  it('never overwrites a changed key, prints both, and its fix works', async () => {
    describeHosts()
    const server = world.host('db1').server
    const stranger = makeKey('ed25519').public
    const name = `[${server.address}]:${server.port}`
    writeFileSync(file, `${name} ${stranger}`)
    execFileSync('ssh-keygen', ['-q', '-H', '-f', file], { stdio: 'ignore' })
    const old = execFileSync('ssh-keygen', ['-lf', file], { encoding: 'utf8' }).split(' ')[1]
    const before = known()
    const outcome = await world.muster('trust', ['--yes', '--host', 'db1'])
    expect(outcome.code).toBe(1)
    const text = outcome.stdout.replaceAll(/\s+/g, ' ')
    expect(text).toContain(`ED25519 ${server.hostKeyFingerprint} shown now ${old} in ${file} line 1`)
    expect(known()).toBe(before)
    expect(words(await world.muster('plan'))).toContain('[host-key-changed]')
    const [, command = ''] = /remove the old key with "(.*?)"/.exec(text) ?? []
    expect(command).toBe(`ssh-keygen -R '${name}' -f ${file}`)
    execFileSync('sh', ['-c', command], { stdio: 'ignore' })
    const now = await world.muster('trust', ['--yes'])
    expect(now, words(now)).toMatchObject({ code: 0 })
    expect(now.stdout).toContain('warning: these fingerprints were not verified.')
    expect(states(await world.muster('status', ['--json']))).toEqual(reached)
  })

  it('writes names as in the file, after a last line without a newline', async () => {
    describeHosts()
    writeFileSync(file, `db9 ${makeKey('ecdsa').public}`)
    execFileSync('ssh-keygen', ['-q', '-H', '-f', file], { stdio: 'ignore' })
    writeFileSync(file, known().trimEnd())
    const { code } = await world.muster('trust', ['--yes'])
    expect(code).toBe(0)
    expect(known()).not.toContain('127.0.0')
    expect(known().trimEnd().split('\n')).toHaveLength(3)
    const { address, port } = world.host('db2').server
    const found = execFileSync('ssh-keygen', ['-F', `[${address}]:${port}`, '-f', file], { encoding: 'utf8' })
    expect(found).toContain(' found: line 3')
  })

  it('prints YAML that pins the keys, usable as a second file', async () => {
    describeHosts()
    const outcome = await world.muster('trust', ['--pin'])
    expect(outcome.code).toBe(0)
    expect(known()).toBe('')
    const pins = world.operator.write('pins.yaml', outcome.stdout)
    const status = await world.operator.muster(['status', '--json', 'alpha.yaml', pins])
    expect(states(status)).toEqual(reached)
    const both = await world.operator.muster(['trust', '--json', 'alpha.yaml', pins])
    expect(results(both)).toEqual(['db1 known 1', 'db2 known 1'])
    expect((await world.muster('trust', ['--pin', '--yes'])).code).toBe(3)
  })

  it('follows --connection instead of the file', async () => {
    describeHosts()
    const one = ['--json', '--host', 'db1']
    expect(results(await world.muster('trust', [...one, '--connection', 'local']))).toEqual([])
    const local = world.operator.write('local.yaml', 'hosts:\n  db1:\n    connection: local\n')
    const reaching = ['trust', ...one, 'alpha.yaml', local]
    expect(results(await world.operator.muster(reaching))).toEqual([])
    const over = await world.operator.muster([...reaching, '--connection', 'ssh'])
    expect(results(over), words(over)).toEqual(['db1 untrusted 1'])
  })

  it('reports keys that it cannot read or save, and asks nothing without a terminal', async () => {
    describeHosts({ 'known-hosts': '/dev/null' }, 'db1')
    const kept = await world.muster('trust', ['--yes', '--host', 'db1'])
    expect(kept.code).toBe(1)
    expect(words(kept)).toContain('was written to /dev/null but is not found there')
    describeHosts({ timeout: '5s' })
    world.host('db2').server.setFault('silent')
    const outcome = await world.muster('trust')
    expect(outcome.code).toBe(4)
    expect(words(outcome)).toContain('[no-ssh-banner]')
    expect(words(outcome)).toContain('Not trusted: db1. Compare them with')
    world.host('db2').server.setFault('none')
    expect(await world.muster('trust')).toMatchObject({ code: 2, stderr: '' })
    expect(known()).toBe('')
  })
})
