import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { observe } from '../../../src/deployment/preflight/observe.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Reads what a host's script printed; it was sent at a time by our clock. */
const read = (stdout: string, sent: string) =>
  observe(fakeTransport({ expect: [{ script: 'getent', result: { stdout } }] }), {
    installDirectory: '/opt/muster',
    names: [],
    now: () => new Date(sent),
  })

describe('observe', () => {
  it('parses the rows of its script', async () => {
    const output = [
      'clock\t1772366400.250000000',
      'libc\tglibc 2.36',
      `hosts-file\t${base64('127.0.1.1 db1\n')}`,
      `firewall\tufw\t${base64('rules\n')}`,
      'name\tdb2\t::ffff:10.0.0.12 fd00:0::2 fe80::1%eth0 ',
      'name\tdb3\t',
      'leftover\treleases/.new-release',
      'leftover\tshare/.manager.json.muster-0123456789abcdef',
      'leftover\t.x/../../etc/.passwd.muster-0123456789abcdef',
      'leftover\tshare/tls',
      `read-only\t${base64('servers\t1\nline\t/etc/my.cnf\t3\t[mysqld]\nline\t/etc/my.cnf\t4\tread_only\nend\n')}`,
      'something of a later version\t1',
      '',
    ].join('\n')
    expect(await read(output, '2026-03-01T12:00:01Z')).toEqual({
      clockOffset: -750,
      libc: 'glibc 2.36',
      hostsFile: '127.0.1.1 db1\n',
      leftovers: ['releases/.new-release', 'share/.manager.json.muster-0123456789abcdef'],
      configuredReadOnly: {
        isReadOnly: true,
        place: '/etc/my.cnf:4',
        group: { file: '/etc/my.cnf', name: 'mysqld' },
      },
      firewall: { kind: 'ufw', rules: 'rules\n' },
      resolved: new Map([
        ['db2', ['10.0.0.12', 'fd00::2', 'fe80::1%eth0']],
        ['db3', []],
      ]),
    })
  })

  it('omits values that the host does not report', async () => {
    const output = 'clock\t1772366401.%N\nlibc\t\nhosts-file\t\nfirewall\tpf\tx\n'
    expect(await read(output, '2026-03-01T12:00:00Z')).toEqual({
      clockOffset: 1000,
      hostsFile: '',
      leftovers: [],
      resolved: new Map(),
    })
  })

  it('rejects with a failure of the host if its script fails', async () => {
    const transport = fakeTransport({
      expect: [{ script: 'getent', result: { code: 127, stderr: 'sh: base64: not found\n' } }],
    })
    await expect(
      observe(transport, { installDirectory: '/opt/muster', names: [], now: () => new Date() }),
    ).rejects.toMatchObject({
      code: 'facts-failed',
      host: 'db1',
      message: "reading the host's clock and names failed with exit code 127: sh: base64: not found",
    })
  })

  it('finds only leftovers of interrupted runs older than an hour', async () => {
    const root = join(temporaryFolder(), "it's muster")
    const old = ['releases/.new-release/node', 'share/.manager.json.muster-0123456789abcdef']
    const inUse = 'share/tls/.key.pem.muster-0123456789abcdef'
    const others = [inUse, 'releases/.new-other/node', 'share/.x.muster-0123456789abcdef', 'share/users.json']
    for (const path of [...old, ...others]) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), '')
    }
    const before = new Date(Date.now() - 2 * 3_600_000)
    for (const path of ['releases/.new-release', old[1] ?? '', inUse, 'share/users.json']) {
      utimesSync(join(root, path), before, before)
    }
    const transport = await connectLocal({ host: 'here', env: process.env })
    try {
      const observed = await observe(transport, { installDirectory: root, names: [], now: () => new Date() })
      expect(observed.leftovers).toEqual(['releases/.new-release', old[1]])
    } finally {
      await transport.close()
    }
  })

  it('reads this machine correctly', async () => {
    const transport = await connectLocal({ host: 'here', env: process.env })
    try {
      const names = [
        'localhost',
        "no such 'name",
        '-h',
        ...Array.from({ length: 40 }, (_, at) => `127.0.0.${at + 1}`),
      ]
      const begun = performance.now()
      const observed = await observe(transport, {
        installDirectory: '/opt/muster',
        names,
        now: () => new Date(),
      })
      // time: the clock was read at some moment of the call, in whole seconds.
      const took = performance.now() - begun
      expect(Math.abs(observed.clockOffset)).toBeLessThan(took + 2000)
      expect(observed.hostsFile).toContain('localhost')
      expect([...observed.resolved.keys()].sort()).toEqual(names.toSorted())
      expect(observed.resolved.get("no such 'name")).toEqual([])
      expect(observed.resolved.get('127.0.0.40')).toEqual(['127.0.0.40'])
      expect(observed.resolved.get('localhost')?.join(' ')).toMatch(/127\.0\.0\.1|::1/)
    } finally {
      await transport.close()
    }
  })
})
