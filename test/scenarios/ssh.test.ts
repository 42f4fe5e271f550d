import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { makeLockedKey, type SshServer, startSshServer } from '../support/sshServer.ts'
import { clusterFile, type HostWish, login } from './support/clusterFile.ts'
import { type Outcome, words } from './support/operator.ts'
import { runProgram } from './support/program.ts'
import { createWorld, type World } from './support/world.ts'

const passphrase = "correct horse 'battery' %h"

/** What works with `ssh HOST` works here: ways to hosts that no key of the YAML describes. */
describe.skipIf(process.platform !== 'linux')('the SSH connection to a host (needs Linux and ssh)', () => {
  let world: World
  let jump: SshServer
  /** Hosts that take a key with a passphrase. */
  let locked: readonly SshServer[]
  let lockedKey: string

  const hosts = (ssh: (host: World['hosts'][number]) => HostWish['ssh']) =>
    world.describe({ hosts: world.hosts.map((host) => ({ ...host, ssh: ssh(host) })) })
  const states = ({ stdout }: Outcome): readonly string[] =>
    JSON.parse(stdout).hosts.map(({ host, state }: { host: string; state: string }) => `${host} ${state}`)
  const reached = ['db1 not-installed', 'db2 not-installed']
  const configure = (lines: readonly string[]) =>
    writeFileSync(join(world.operator.home, '.ssh', 'config'), lines.join('\n'))

  beforeAll(async () => {
    world = await createWorld(2)
    const key = makeLockedKey(passphrase)
    lockedKey = world.operator.write('locked', key.private)
    const own = world.hosts.map(({ server }) => server.clientPublicKey)
    jump = await startSshServer({ address: '127.0.0.9', forwarding: true, authorizedKeys: own })
    locked = await Promise.all(
      world.hosts.map(({ address }) => startSshServer({ address, authorizedKeys: [key.public] })),
    )
    mkdirSync(join(world.operator.home, '.ssh'), { mode: 0o700 })
    const lines = [...world.hosts.map(({ server }) => server), ...locked, jump].map((one) => one.hostKeyLine)
    writeFileSync(join(world.operator.home, '.ssh', 'known_hosts'), lines.join(''))
  })
  afterEach(async () => {
    configure([])
    // A connection that stays open would keep the program from ending.
    await eventually(() => expect([jump, ...locked].map((server) => server.open())).toEqual([0, 0, 0]))
  })
  afterAll(async () => {
    await Promise.all([jump, ...(locked ?? [])].map((server) => server?.close()))
    await world?.close()
  })

  it('follows ~/.ssh/config through a jump host, with one login there', async () => {
    const key = world.host('db1').server.clientKeyPath
    configure([
      ...world.hosts.flatMap(({ name, server }) => [
        `Host ${name}`,
        `  Port ${server.port}`,
        `  IdentityFile ${server.clientKeyPath}`,
        '  ProxyJump gate',
      ]),
      'Host gate',
      `  HostName ${jump.address}`,
      `  Port ${jump.port}`,
      `  IdentityFile ${key}`,
      'Match host 127.0.0.*',
      `  User ${login}`,
    ])
    hosts(() => ({}))
    const outcome = await world.muster('status', ['--json'])
    expect(states(outcome)).toEqual(reached)
    expect(jump.connections()).toBe(1)
    expect([...jump.forwards()].sort()).toEqual(
      world.hosts.map(({ address, server }) => `${address}:${server.port}`).sort(),
    )
  })

  it('is reported for each host behind a jump host that refuses, which is asked once', async () => {
    const before = jump.connections()
    jump.setFault('refuse-login')
    hosts(({ ssh }) => ({ ...ssh, jump: `walter@${jump.address}:${jump.port}` }))
    try {
      const outcome = await world.muster('plan')
      expect(outcome.code).toBe(1)
      for (const name of ['db1', 'db2']) {
        expect(words(outcome)).toContain(
          `error ${name}: is behind the jump host 127.0.0.9: the jump host 127.0.0.9 refused the login of walter`,
        )
      }
      // Two hosts with keys of their own are two ways to the jump host.
      expect(jump.connections() - before).toBe(2)
    } finally {
      jump.setFault('none')
    }
  })

  it('asks for the passphrase of a key once for all hosts, on a terminal', async () => {
    hosts(({ name, ssh }) => ({
      ...ssh,
      identity: lockedKey,
      port: locked[name === 'db1' ? 0 : 1]?.port ?? 0,
      'known-hosts': join(world.operator.home, '.ssh', 'known_hosts'),
    }))
    const outcome = await world.muster('status', ['--json'], { typed: `wrong\n${passphrase}\n` })
    expect(states(outcome)).toEqual(reached)
    expect(outcome.stderr).toBe(`Passphrase of ${lockedKey}: \nPassphrase of ${lockedKey}: \n`)
    expect(words(outcome)).not.toContain(passphrase)
  })

  it('explains how to give a passphrase without a terminal', async () => {
    const outcome = await world.muster('status', ['--json'])
    expect(outcome.stdout).toContain(
      `the key for db1, ${lockedKey}, has a passphrase, and no agent is running`,
    )
    expect(outcome.code).toBe(1)
    const wrong = await world.muster('plan', [], { typed: 'a\nb\nc\n' })
    expect(wrong.code).toBe(1)
    expect(wrong.stderr).toContain(`the key for db2, ${lockedKey}, has a different passphrase`)
    expect(wrong.stderr.match(/Passphrase of /g)).toHaveLength(3)
    expect(readFileSync(lockedKey, 'utf8')).not.toContain(passphrase)
  })

  describe('as another user than root', () => {
    let sudoers: SshServer
    const sshOptions = { user: 'ops', become: 'true', 'known-hosts': '', identity: '', port: 0 }
    const secret = `s'"$#%:@ é`

    beforeAll(async () => {
      const bin = join(world.folder, 'bin')
      mkdirSync(bin)
      writeFileSync(join(world.folder, 'right'), `${secret}\n`)
      const sudo = [
        '#!/bin/sh',
        '[ "$1" = -n ] && { echo "sudo: a password is required" >&2; exit 1; }',
        'printf %s "$3" >&2; IFS= read -r line',
        `[ "$line" = "$(cat ${world.folder}/right)" ] || { echo "Sorry, try again." >&2; exit 1; }`,
        'shift 3; exec "$@"',
      ]
      writeFileSync(join(bin, 'sudo'), sudo.join('\n'), { mode: 0o755 })
      const env = { PATH: `${bin}:${world.operator.env.PATH}`, HOME: world.folder }
      sudoers = await startSshServer({ address: '127.0.0.8', env })
    })
    afterAll(() => sudoers?.close())

    const become = (more: Readonly<Record<string, string>> = {}) => {
      const { address, port, clientKeyPath: identity, knownHostsPath } = sudoers
      const ssh = { ...sshOptions, port, identity, 'known-hosts': knownHostsPath, ...more }
      const text = clusterFile({ hosts: [{ ...world.host('db1'), address, ssh }] })
      world.operator.write('alpha.yaml', text.replace('become: "true"', 'become: true'))
    }

    it('passes the password of the file to sudo', async () => {
      become({ 'become-password': '!env SUDO_PASS' })
      world.operator.env.SUDO_PASS = secret
      const outcome = await world.muster('status', ['--json'])
      expect(states(outcome)).toEqual(['db1 not-installed'])
      delete world.operator.env.SUDO_PASS
      const missing = await world.muster('plan')
      expect(missing.code).toBe(1)
      expect(missing.stderr).toMatch(
        /^error: become-password \(alpha\.yaml:\d+:\d+\) cannot be read: .*SUDO_PASS/,
      )
    })

    it('asks for the sudo password with --ask-become-pass, only on a terminal', async () => {
      become()
      const outcome = await world.muster('status', ['--json', '--ask-become-pass'], { typed: `${secret}\n` })
      expect(states(outcome)).toEqual(['db1 not-installed'])
      expect(outcome.stderr).toBe('sudo password for the hosts: \n')
      const nobody = await world.muster('status', ['--ask-become-pass'])
      expect(nobody).toMatchObject({ code: 3, stdout: '' })
      expect(nobody.stderr).toContain('There is no terminal to ask for the sudo password.')
    })

    it('reports a wrong sudo password, and a missing one', async () => {
      become()
      const wrong = await world.muster('plan', ['--ask-become-pass'], { typed: 'wrong\n' })
      expect(wrong.code).toBe(1)
      expect(wrong.stderr).toContain('sudo on db1 refused the password of ops: Sorry, try again.')
      expect(wrong.stderr).toContain('[sudo-refused]')
      const none = await world.muster('plan')
      expect(none.stderr).toContain('sudo on db1 requires a password for ops: sudo: a password is required')
      expect(world.operator.printed()).not.toContain(secret)
    })
  })

  it('is refused if ssh_config has an unsupported option, which is named', async () => {
    configure(['Host db2', '  CertificateFile ~/.ssh/id-cert.pub'])
    hosts(({ server }) => ({ port: server.port, transport: 'builtin' }))
    const outcome = await world.muster('plan')
    expect(outcome.code).toBe(1)
    expect(outcome.stderr).toContain(
      'ssh_config sets CertificateFile for db2, which the built-in SSH client does not support',
    )
    expect(outcome.stderr).toContain('[ssh-config]')
  })

  it("goes through a jump host by the system's ssh, with one connection there for each key, for every command", async () => {
    const file = world.operator.write(
      'all known hosts',
      [...world.hosts.map(({ server }) => server), jump].map((one) => one.hostKeyLine).join(''),
    )
    hosts(({ server }) => ({
      transport: 'openssh',
      port: server.port,
      user: login,
      identity: server.clientKeyPath,
      'known-hosts': file,
      jump: `${login}@127.0.0.9:${jump.port}`,
    }))
    const before = jump.connections()
    const status = await world.muster('status', ['--json', '--verbose'])
    expect(states(status), words(status)).toEqual(reached)
    expect(status.stderr).toContain("db1: connected by the system's ssh: transport: openssh (")
    expect(jump.connections()).toBe(before + world.hosts.length)
    const trust = await world.muster('trust', ['--json'])
    expect(trust, words(trust)).toMatchObject({ code: 0 })
    const shell = await runProgram({
      program: 'muster',
      argv: ['ssh', 'db1', 'alpha.yaml', '--', 'echo through'],
      cwd: world.operator.directory,
      env: world.operator.env,
    })
    expect(shell).toMatchObject({ stderr: '', code: 0, stdout: 'through\n' })
  })

  describe('muster ssh', () => {
    const ssh = (...argv: readonly string[]) =>
      runProgram({
        program: 'muster',
        argv: ['ssh', ...argv],
        cwd: world.operator.directory,
        env: world.operator.env,
      })

    it('runs the system ssh with the connection of the file, and passes its exit code on', async () => {
      world.describe()
      const done = await ssh('db2', 'alpha.yaml', '--', 'echo "$0 here"; exit 7')
      expect(done).toMatchObject({ code: 7, stderr: '' })
      expect(done.stdout).toMatch(/ here\n$/)
    })

    it('goes through jump hosts with the key and the known_hosts file of the host', async () => {
      const { server } = world.host('db1')
      const file = world.operator.write('known hosts', `${server.hostKeyLine}${jump.hostKeyLine}`)
      hosts(() => ({
        port: server.port,
        user: login,
        identity: server.clientKeyPath,
        'known-hosts': file,
        jump: `${login}@127.0.0.9:${jump.port}`,
      }))
      const before = jump.logins().length
      expect(await ssh('db1', 'alpha.yaml', '--', 'echo through')).toMatchObject({
        stderr: '',
        code: 0,
        stdout: 'through\n',
      })
      expect(jump.logins().length).toBeGreaterThan(before)
    })

    it('takes the key that host-key pins, and refuses another and unknown ones', async () => {
      const { server } = world.host('db1')
      const known = { port: server.port, user: login, identity: server.clientKeyPath }
      hosts(() => ({ ...known, 'host-key': server.hostKeyFingerprints[0] ?? '', 'known-hosts': '/dev/null' }))
      expect(await ssh('db1', 'alpha.yaml', '--', 'echo pinned')).toMatchObject({
        stderr: '',
        code: 0,
        stdout: 'pinned\n',
      })
      hosts(() => ({ ...known, 'host-key': `SHA256:${'A'.repeat(43)}` }))
      const other = await ssh('db1', 'alpha.yaml', '--', 'echo pinned')
      expect(other).toMatchObject({ code: 1, stdout: '' })
      expect(other.stderr).toContain('error db1: presented the host key SHA256:')
      hosts(() => ({ ...known, 'known-hosts': '/dev/null' }))
      const unknown = await ssh('db1', 'alpha.yaml', '--', 'echo pinned')
      expect(unknown).toMatchObject({ code: 3, stdout: '' })
      expect(unknown.stderr).toContain('the host key of db1 is unknown: /dev/null has no key for it.')
    })

    it('refuses a host that the file does not have', async () => {
      world.describe()
      const { code, stderr } = await ssh('db11', 'alpha.yaml')
      expect({ code, stderr }).toEqual({
        code: 3,
        stderr: 'error: alpha has no host db11.\n  fix: Did you mean db1? The file has db1 and db2.\n',
      })
      const file = await ssh('alpha.yaml')
      expect(file).toMatchObject({ code: 3, stdout: '' })
      expect(file.stderr).toContain('alpha.yaml is a file, not a host.')
      expect((await ssh('-oProxyCommand=touch x', 'alpha.yaml')).code).toBe(3)
      expect((await ssh('$(touch x)', 'alpha.yaml')).code).toBe(3)
    })
  })
})
