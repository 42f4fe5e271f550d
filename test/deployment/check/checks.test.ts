import { describe, expect, it } from 'vitest'
import { backdateMs } from '../../../src/certificates/profile.ts'
import { checks } from '../../../src/deployment/check/checks.ts'
import type { Subject, Surroundings } from '../../../src/deployment/check/subject.ts'
import { judgeFacts } from '../../../src/deployment/judge.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'
import { clusterConfig, subject, surroundings, verdicts } from './values.ts'

const told = (
  id: string,
  subjects: readonly [Subject, ...Subject[]],
  changes: Partial<Surroundings> = {},
): readonly string[] => verdicts(id, subjects, changes).map(({ result, reason }) => `${result}: ${reason}`)

const manifest = (cluster: string, host: string): string => JSON.stringify({ version: 1, cluster, host })
const open = { component: 'manager' as const, enabled: true, address: '0.0.0.0', port: 8090 }

describe('the checks', () => {
  it('have a name of their own each, and nothing against a fresh host', () => {
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length)
    const fresh = subject()
    for (const { id, judge } of checks) {
      const [first, ...others] = judge(fresh, surroundings([fresh]))
      expect({ id, result: first?.result, others }).toEqual({ id, result: 'ok', others: [] })
      expect(first?.reason, id).not.toMatch(/undefined|NaN|^\s*$/)
    }
  })

  it('tell all that an installation would refuse', () => {
    const everything = subject({
      host: {
        installDirectory: `/${'x'.repeat(120)}`,
        serviceManager: 'process',
        user: 'muster',
        apis: [
          { component: 'manager', enabled: true, address: '10.0.0.99', port: 443 },
          { component: 'connector', enabled: true, address: '127.0.0.1', port: 8096 },
        ],
      },
      facts: {
        uid: 1000,
        login: 'ops',
        listeners: [{ address: '0.0.0.0', port: 8096 }],
        installation: installationFacts({ writable: false, noexec: true, freeBytes: 1024 }),
      },
    })
    const all = checks.flatMap(({ judge }) => judge(everything, surroundings([everything])))
    const failures = all.flatMap((one) => (one.result === 'failure' ? [one.reason] : []))
    const refusals = judgeFacts(everything.host, everything.facts, 'alpha').map(({ message }) => message)
    expect(refusals).toHaveLength(7)
    expect(failures).toEqual(expect.arrayContaining(refusals))
  })

  it.each<[string, Subject, string]>([
    ['login', subject({ host: { connection: 'local' } }), 'ok: this machine, as root'],
    [
      'root',
      subject({ facts: { uid: 1000, login: 'ops' } }),
      'warning: the login ops is not root, so the components would run as processes that nothing starts after a reboot',
    ],
    [
      'root',
      subject({ host: { serviceManager: 'process' }, facts: { uid: 1000, login: 'ops' } }),
      'ok: not root, which is not needed to run processes as ops',
    ],
    [
      'root',
      subject({ host: { serviceManager: 'systemd' }, facts: { uid: 1000, login: 'ops' } }),
      'failure: the login is ops, and only root may manage systemd services',
    ],
    ['system', subject({ facts: { machine: 's390x' } }), 'failure: the host is Linux on s390x'],
    [
      'system',
      subject({ seen: { libc: 'musl' } }),
      'failure: its C library is musl, and the Node.js 24.21.0 that is sent there needs glibc 2.28 or newer',
    ],
    [
      'system',
      subject({ seen: { libc: 'glibc 2.27' } }),
      'failure: its C library is glibc 2.27, and the Node.js 24.21.0 that is sent there needs glibc 2.28 or newer',
    ],
    [
      'system',
      subject({ seen: { libc: 'glibc 2.28' } }),
      'ok: Debian GNU/Linux 12 (bookworm), x86_64, glibc 2.28',
    ],
    [
      'system',
      subject({
        facts: { node: { path: '/usr/bin/node', version: 'v24.1.0', rootOwned: true } },
        seen: { libc: 'musl' },
      }),
      'ok: Debian GNU/Linux 12 (bookworm), x86_64, musl',
    ],
    ['machine-id', subject({ facts: { machineId: '' } }), 'warning: it has no /etc/machine-id'],
    [
      'machine-id',
      subject({ facts: { machineId: 'uninitialized' } }),
      'warning: /etc/machine-id there is no machine-id',
    ],
    [
      'services',
      subject({ facts: { systemd: false } }),
      'warning: it has no systemd, so the components would run as processes that nothing starts after a reboot',
    ],
    [
      'services',
      subject({ host: { serviceManager: 'process' }, facts: { systemd: false } }),
      'ok: processes, as the file says',
    ],
    [
      'services',
      subject({ host: { serviceManager: 'systemd' }, facts: { systemd: false } }),
      'failure: service-manager is systemd, but systemd is not process 1 there',
    ],
    ['runtime', subject(), 'ok: Node.js v24.21.0, to be sent'],
    [
      'runtime',
      subject({ facts: { node: { path: '/usr/bin/node', version: 'v24.1.0', rootOwned: true } } }),
      'ok: its own Node.js v24.1.0, /usr/bin/node',
    ],
    [
      'runtime',
      subject({ host: { runtime: 'host' } }),
      'failure: runtime is host, but the host has no Node.js',
    ],
    [
      'directory',
      subject({ facts: { installation: installationFacts({ writable: false }) } }),
      'failure: root may not write to /opt/muster: a part of that path is a file, or its file system is read-only',
    ],
    [
      'installation',
      subject({ facts: { installation: installationFacts({ manifest: manifest('beta', 'db1') }) } }),
      'failure: /opt/muster holds the installation of host db1 of cluster beta',
    ],
    [
      'installation',
      subject({
        facts: {
          installation: installationFacts({
            manifest: manifest('alpha', 'db1'),
            currentRelease: '0.1.0-abc',
          }),
        },
      }),
      'ok: 0.1.0-abc is installed',
    ],
    [
      'disk',
      subject({ facts: { installation: installationFacts({ freeBytes: 12 * 1024 ** 2 }) } }),
      'failure: /opt/muster has 12 MiB free, and 300 MiB are needed',
    ],
    [
      'disk',
      subject({
        facts: {
          installation: installationFacts({ manifest: manifest('alpha', 'db1'), freeBytes: 12 * 1024 ** 2 }),
        },
      }),
      'warning: /opt/muster has 12 MiB free: another release and runtime may not fit',
    ],
    [
      'noexec',
      subject({ facts: { installation: installationFacts({ noexec: true }) } }),
      'failure: the file system of /opt/muster is mounted with noexec, and the Node.js that is sent there could not be run',
    ],
    [
      'ports',
      subject({ facts: { listeners: [{ address: '0.0.0.0', port: 8096 }] } }),
      'failure: port 8096 of the connector is taken: something already listens on 0.0.0.0:8096',
    ],
    [
      'addresses',
      subject({ host: { apis: [{ ...open, address: '10.0.0.99' }] } }),
      'failure: manager-rest-api-address is 10.0.0.99, which is not an address of this host (it has 10.0.0.11)',
    ],
  ])('%s', (id, of, expected) => {
    expect(told(id, [of])).toEqual([expected])
  })

  it('know a machine that took the place of an installed one', () => {
    const machines = { recorded: new Map([['db1', 'f'.repeat(32)]]), folders: new Map(), replaced: [] }
    const [found] = verdicts('machine-id', [subject({})], { machines })
    expect(found).toMatchObject({ result: 'failure' })
    expect(JSON.stringify(found)).toContain('is not the machine that was installed')
  })

  it('know clones, and name them the same on each', () => {
    const clones = ['db1', 'db2'].map((name) => subject({ host: { name } }))
    const other = subject({ host: { name: 'db3' }, facts: { machineId: 'f'.repeat(32) } })
    const [one = other, two = other] = clones
    const clone =
      'warning: db1 and db2 have the same machine-id: they are clones, or one machine under several names'
    expect(told('machine-id', [one, two, other])).toEqual([clone])
    expect(told('machine-id', [two, one, other])[0]).toMatch(/^warning: /)
    expect(told('machine-id', [other, one, two])).toEqual([`ok: ${'f'.repeat(32)}`])
  })
})

describe('the check of the clock', () => {
  const at = (clockOffset: number): Subject => subject({ seen: { clockOffset } })

  it('compares with the median of the hosts, not with ours', () => {
    const hours = 2 * 3_600_000
    expect(told('clock', [at(hours), at(hours), at(hours)])).toEqual(['ok: 0.0 s off'])
    expect(told('clock', [at(0), at(hours), at(hours)])[0]).toMatch(
      /^warning: its clock is 2\.0 hours behind the median of the hosts: /,
    )
    expect(told('clock', [at(hours), at(10), at(-10)])[0]).toMatch(
      /^warning: its clock is 2\.0 hours ahead of /,
    )
  })

  it.each([
    [2_000, 'ok: 2.0 s off'],
    [-2_000, 'ok: 2.0 s off'],
    [2_001, 'warning: its clock is 2.0 s ahead of'],
    [-80_000, 'warning: its clock is 80.0 s behind'],
    [600_000, 'warning: its clock is 10.0 minutes ahead of'],
    [40 * 86_400_000, 'warning: its clock is 40.0 days ahead of'],
  ])('says how far %i ms is', (offset, words) => {
    expect(told('clock', [at(offset), at(0), at(0)])[0]?.slice(0, words.length)).toBe(words)
  })

  it('fails where our certificates would not be valid yet, even when all hosts agree', () => {
    const late = at(-backdateMs - 1)
    expect(told('clock', [late, late])[0]).toMatch(/^failure: its clock is 24\.0 hours behind this machine's/)
    expect(told('clock', [at(-backdateMs), at(-backdateMs)])).toEqual(['ok: 0.0 s off'])
  })
})

describe('the checks of names', () => {
  const db1 = { name: 'db1', address: 'one.example.org' }
  const db2 = { name: 'db2', address: 'two.example.org' }
  const services = [
    {
      name: 'alpha',
      datasources: [
        { name: 'db1', host: 'one.example.org', port: 3306, role: 'primary' as const },
        { name: 'db2', host: 'two.example.org', port: 3306, role: 'replica' as const },
      ],
    },
  ]
  const knows = (resolved: Readonly<Record<string, readonly string[]>>, hostsFile = ''): Subject =>
    subject({ host: db1, seen: { resolved: new Map(Object.entries(resolved)), hostsFile } })
  const config = { ...clusterConfig([hostConfig(db1), hostConfig(db2)]), services }
  const names = (of: Subject, ...others: readonly Subject[]) => told('names', [of, ...others], { config })
  const second = (...addresses: readonly string[]): Subject =>
    subject({
      host: db2,
      seen: { resolved: new Map([['two.example.org', ['127.0.1.1', ...addresses]]]) },
    })

  it('have nothing against names that mean the same everywhere', () => {
    const all = knows({ 'one.example.org': ['10.0.0.11'], 'two.example.org': ['fd00::2', '10.0.0.12'] })
    expect(names(all, second('10.0.0.12'), second('FD00:0:0::2'), second())).toEqual([
      'ok: two.example.org are known',
    ])
  })

  it.each<[string, Subject, string]>([
    [
      'is not known',
      knows({ 'two.example.org': [] }),
      'failure: it does not know the name two.example.org, which its components have to reach',
    ],
    [
      'means the host itself',
      knows({ 'two.example.org': ['127.0.0.1'] }),
      'failure: two.example.org, which is another host, means 127.0.0.1 there: the host itself',
    ],
    [
      'means something else elsewhere',
      knows({ 'two.example.org': ['10.9.9.9'] }),
      'warning: two.example.org means 10.9.9.9 there, and 127.0.1.1 and 10.0.0.12 on db2',
    ],
  ])('tell of a name that is dialled and %s', (_, of, expected) => {
    expect(names(of, second('10.0.0.12'))).toEqual([expected])
  })

  it('mind a name that nothing dials only where it means another address than the file has', () => {
    const hosts = clusterConfig([hostConfig(), hostConfig({ name: 'db2', address: '10.0.0.12' })])
    const judge = (addresses: readonly string[]) =>
      told('names', [subject({ seen: { resolved: new Map([['db2', addresses]]) } })], { config: hosts })
    expect(judge([])).toEqual(['ok: the file reaches all hosts at addresses'])
    expect(judge(['10.0.0.12'])).toEqual(['ok: the file reaches all hosts at addresses'])
    expect(judge(['10.0.0.99'])).toEqual([
      'warning: db2 means 10.0.0.99 there, and the file has it at 10.0.0.12',
    ])
  })

  it('tell of 127.0.1.1 where the own name is dialled', () => {
    const looped = knows(
      {},
      '127.0.0.1 localhost # 127.0.0.9 one.example.org\n127.0.1.1\tone.example.org one\n',
    )
    expect(told('own-name', [looped], { config })).toEqual([
      'warning: /etc/hosts there has 127.0.1.1 one.example.org: its own components reach its database at loopback only, where the other hosts do not',
    ])
    expect(told('own-name', [looped])).toEqual([
      'ok: /etc/hosts has 127.0.1.1 one.example.org, and the file dials no such name',
    ])
    expect(told('own-name', [knows({}, '10.0.0.11 one.example.org\n')], { config })).toEqual([
      'ok: no loopback address',
    ])
  })
})

describe('the check of the database', () => {
  const judge = (host: string, listeners: readonly { address: string; port: number }[]) =>
    told('database', [
      subject({
        host: { database: { type: 'mariadb', host, port: 3306, service: 'alpha' } },
        facts: { listeners },
      }),
    ])

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', '0.0.0.0'],
    ['10.0.0.11', '::'],
  ])('sees without a connection that something listens at %s', (host, address) => {
    expect(judge(host, [{ address, port: 3306 }])).toEqual([`ok: something listens at ${host} port 3306`])
    expect(judge(host, [{ address, port: 3307 }])).toEqual([
      `warning: nothing listens at ${host} port 3306, where the file has the host's database`,
    ])
  })

  it('leaves one on another host alone', () => {
    expect(judge('10.0.0.77', [])).toEqual([
      'ok: 10.0.0.77 port 3306 is not looked at: it is not on this host',
    ])
  })

  it('is no wiser than the address that is listened on', () => {
    expect(judge('10.0.0.11', [{ address: '127.0.0.1', port: 3306 }])[0]).toMatch(/^warning/)
  })
})

describe('the check of the firewall', () => {
  const behind = (rules: string, port = 8090): Subject =>
    subject({
      host: {
        apis: [
          { ...open, port },
          { ...open, component: 'connector', address: '127.0.0.1', port: 8096 },
        ],
      },
      seen: { firewall: { kind: 'ufw', rules } },
    })

  it('names the ports that others should reach and the rules do not speak of', () => {
    const [first] = verdicts('firewall', [behind('### tuple ### allow tcp 22 0.0.0.0/0 any 0.0.0.0/0 in')])
    expect(first).toEqual({
      result: 'warning',
      reason: 'ufw is on and does not seem to let others reach port 8090',
      fix: 'Open what clients should reach: `ufw allow proto tcp to any port 8090`. Where a rule of another form does, all is well.',
    })
    expect(told('firewall', [behind('### tuple ### allow tcp 8090 0.0.0.0/0 any 0.0.0.0/0 in')])).toEqual([
      'ok: ufw is on, and nothing in it was seen to be in the way',
    ])
  })

  it('says where it could not look', () => {
    expect(told('firewall', [subject({ facts: { uid: 1000 } })])).toEqual([
      'ok: not looked at, which takes root',
    ])
  })
})

describe('the check of certificates', () => {
  const own = subject({
    host: { tls: { ...hostConfig().tls, keystorePath: '/k.p12', truststorePath: '/t.p12' } },
  })

  it('tells of a store that is not there, and of a password that cannot be read', () => {
    expect(told('certificates', [own])).toEqual(['failure: the keystore /k.p12 cannot be read'])
    const failures = new Map([['db1', [{ message: 'STORE_PASS is not set', fix: 'Set it.' }]]])
    const stores = { files: new Map(), passwords: new Map(), failures }
    expect(told('certificates', [own], { stores })).toEqual(['failure: STORE_PASS is not set'])
  })

  it('leaves what muster makes to muster', () => {
    expect(told('certificates', [subject({ facts: hostFacts() })])).toEqual(['ok: made by muster'])
  })
})
