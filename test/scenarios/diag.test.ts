import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { betrays, makeSentinel, type Sentinel, spellingsOf } from '../lab/scenario/sentinel.ts'
import { freePort } from '../support/ports.ts'
import { words } from './support/operator.ts'
import { filesBelow, snapshot } from './support/snapshot.ts'
import { createWorld, type World } from './support/world.ts'

/** A bug report tells all of a cluster but its secrets, wherever they were planted. */
describe.skipIf(process.platform !== 'linux')('muster diag (needs Linux and tar)', () => {
  let world: World
  const sentinels: Readonly<Record<'admin' | 'replication' | 'monitor', Sentinel>> = {
    admin: makeSentinel(),
    replication: makeSentinel(),
    monitor: makeSentinel(),
  }
  const archives = () => readdirSync(world.operator.directory).filter((name) => name.endsWith('.tar.gz'))
  const unpacked = (archive: string): Readonly<Record<string, string>> => {
    const place = join(world.folder, `unpacked-${archive}`)
    mkdirSync(place)
    execFileSync('tar', ['-xzf', join(world.operator.directory, archive), '-C', place])
    return Object.fromEntries(
      filesBelow(place).map((path) => [
        path.slice(place.length + 1).replace(/^[^/]*\//, ''),
        readFileSync(path, 'utf8'),
      ]),
    )
  }

  beforeAll(async () => {
    world = await createWorld(2)
    world.operator.env.ADMIN_PASS = sentinels.admin.password
    const ports = await Promise.all(Array.from({ length: 4 }, () => freePort()))
    world.describe({
      hosts: world.hosts.map((host, index) => ({
        ...host,
        options: {
          'application-port': ports[2 * index] ?? 0,
          'application-readonly-port': ports[2 * index + 1] ?? 0,
        },
      })),
      defaults: {
        'rest-api-admin-pass': '!env ADMIN_PASS',
        'datasource-type': 'mariadb',
        'replication-user': 'muster',
        'replication-password': sentinels.replication.password,
        'monitor-user': 'muster_monitor',
        'monitor-password': sentinels.monitor.password,
      },
    })
    const install = await world.muster('install')
    expect(install, words(install)).toMatchObject({ code: 0 })
    const { directory } = world.host('db1')
    const key = readFileSync(join(directory, 'share/tls/key.pem'), 'utf8')
    const users = readFileSync(join(directory, 'data/users.json'), 'utf8')
    for (const sentinel of Object.values(sentinels)) {
      const spelt = spellingsOf(sentinel)
      for (const file of ['data/manager.log', 'data/manager.audit.jsonl', 'deployment.jsonl']) {
        appendFileSync(join(directory, file), `${spelt.join('\n')}\n${key}${users}\n`)
      }
    }
  })
  afterAll(() => world?.close())

  it('collects all files, and no secret, hash or key in any spelling', async () => {
    // What the components themselves write goes on meanwhile.
    const installed = () =>
      world.hosts.map(({ directory }) =>
        Object.entries(snapshot(directory)).filter(
          ([path]) => !/^data\/(manager|connector)\.json$/.test(path),
        ),
      )
    const before = installed()
    const outcome = await world.muster('diag')
    expect(outcome, words(outcome)).toMatchObject({ code: 0, stderr: '' })
    expect(installed()).toEqual(before)
    const [archive = ''] = archives()
    expect(archive).toMatch(/^muster-diag-alpha-\d{8}T\d{6}Z\.tar\.gz$/)
    expect(outcome.stdout.indexOf('will contain:')).toBeLessThan(outcome.stdout.indexOf(archive))
    expect(statSync(join(world.operator.directory, archive)).mode & 0o777).toBe(0o600)
    const files = unpacked(archive)
    expect(Object.keys(files)).toEqual([
      'README.txt',
      'check.txt',
      'hosts/1-db1/calls.jsonl',
      'hosts/1-db1/changes.jsonl',
      'hosts/1-db1/facts.json',
      'hosts/2-db2/calls.jsonl',
      'hosts/2-db2/changes.jsonl',
      'hosts/2-db2/facts.json',
      'logs.txt',
      'plan.txt',
      'runs.json',
      'settings.txt',
      'status.txt',
      'versions.json',
    ])
    const all = Object.values(files).join('\n')
    for (const sentinel of Object.values(sentinels)) expect(betrays(sentinel, all)).toBe(false)
    expect(all).not.toMatch(/PRIVATE KEY|scrypt\$/)
    const machine = readFileSync('/etc/machine-id', 'utf8').trim()
    expect(all).not.toContain(machine)
    expect(files['hosts/1-db1/facts.json']).not.toMatch(/\b[0-9a-f]{64}\b/)
    const says: readonly (readonly [string, RegExp])[] = [
      ['settings.txt', /replication-user/],
      ['check.txt', /alpha: \d+ checks on 2 hosts/],
      ['status.txt', /db1/],
      ['plan.txt', /exit code [02]/],
      ['logs.txt', /\[redacted/],
      ['hosts/1-db1/changes.jsonl', /"change"|"step"|\[redacted/],
      ['hosts/1-db1/calls.jsonl', /\[redacted key\]/],
      ['hosts/1-db1/facts.json', /"hostname"/],
      ['runs.json', /"operation": "install"/],
      ['versions.json', /"muster"/],
    ]
    for (const [name, pattern] of says) expect(files[name], name).toMatch(pattern)
  })

  it('lists unreachable hosts in the archive, and overwrites no file', async () => {
    world.host('db2').server.setFault('close-before-banner')
    const outcome = await world.muster('diag', ['--out', 'report.tar.gz'])
    expect(outcome, words(outcome)).toMatchObject({ code: 0 })
    expect(outcome.stdout).toContain('Unreachable (see the archive for the reason): db2.')
    const files = unpacked('report.tar.gz')
    expect(files['hosts/2-db2/not-reached.txt']).toContain('[no-ssh-banner]')
    expect(files['README.txt']).toContain('db2: db2 (127.0.0.3 port ')
    expect(files['status.txt']).toContain('db1')
    expect(files['status.txt']).not.toContain('unreachable')
    const again = await world.muster('diag', ['--out', 'report.tar.gz'])
    expect(again.code).toBe(1)
    expect(again.stderr).toContain('report.tar.gz already exists')
    expect(readdirSync(world.operator.directory).filter((name) => name.includes('.tmp'))).toEqual([])
  })
})
