import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { PlannedStep } from '../../../src/deployment/hostPlan.ts'
import type { Subject } from '../../../src/deployment/preflight/checkContract.ts'
import { checkHosts, runCheck } from '../../../src/deployment/preflight/checkHosts.ts'
import { checks, installationProblems } from '../../../src/deployment/preflight/checks.ts'
import { spaceProblems } from '../../../src/deployment/preflight/diskCheck.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'
import { checkContext, reasons, subject } from './values.ts'

const manifest = (cluster: string, host: string): string => JSON.stringify({ version: 1, cluster, host })

describe('the preflight checks', () => {
  it('have unique ids and report no problem on a fresh host', () => {
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length)
    const fresh = subject()
    for (const check of checks) {
      const { id } = check
      const [first, ...others] = runCheck({ check, subject: fresh, context: checkContext([fresh]) })
      expect({ id, result: first?.result, others }).toEqual({ id, result: 'ok', others: [] })
      expect(first?.reason, id).not.toMatch(/undefined|NaN|^\s*$/)
    }
  })

  it('are in files named after their ids, and all are listed', () => {
    const folder = fileURLToPath(new URL('../../../src/deployment/preflight', import.meta.url))
    const fileOf = (id: string): string =>
      `${id.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())}Check.ts`
    expect(
      readdirSync(folder)
        .filter((name) => name.endsWith('Check.ts'))
        .sort(),
    ).toEqual(checks.map(({ id }) => fileOf(id)).sort())
  })

  it('report all problems for which an installation refuses a host', () => {
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
    const context = checkContext([everything])
    const all = checks.flatMap((check) => runCheck({ check, subject: everything, context }))
    const failures = all.flatMap((one) => (one.result === 'failure' ? [one.reason] : []))
    const refused = installationProblems(everything).map(({ message }) => message)
    expect(refused).toHaveLength(7)
    expect(failures).toEqual(expect.arrayContaining(refused))
  })

  it('report on a host of another cluster that one line, and none of its components as another program', () => {
    const foreign = subject({
      host: { apis: [{ component: 'manager', enabled: true, address: '10.0.0.11', port: 8090 }] },
      facts: {
        listeners: [{ address: '10.0.0.11', port: 8090 }],
        installation: installationFacts({ manifest: manifest('beta', 'x1') }),
      },
    })
    const [found] = checkHosts(checkContext([foreign]), [])
    expect(found?.results).toEqual([
      {
        check: 'installation',
        result: 'failure',
        reason: '/opt/muster holds the installation of host x1 of cluster beta',
        fix: expect.stringContaining('uninstall that one with its own file'),
      },
    ])
  })

  it.each<readonly [string, string, Subject]>([
    ['login', 'ok: this machine, as root', subject({ host: { connection: 'local' } })],
    [
      'root',
      'warning: the login ops is not root, so the components would run as processes that do not start after a reboot',
      subject({ facts: { uid: 1000, login: 'ops' } }),
    ],
    [
      'root',
      'ok: not root; root is not needed to run processes as ops',
      subject({ host: { serviceManager: 'process' }, facts: { uid: 1000, login: 'ops' } }),
    ],
    [
      'root',
      'failure: the login is ops, but only root can manage systemd services',
      subject({ host: { serviceManager: 'systemd' }, facts: { uid: 1000, login: 'ops' } }),
    ],
    ['system', 'failure: unsupported system: Linux on s390x', subject({ facts: { machine: 's390x' } })],
    [
      'system',
      'failure: its C library is musl, but the Node.js 24.21.0 that muster sends needs glibc 2.28 or newer',
      subject({ observed: { libc: 'musl' } }),
    ],
    [
      'system',
      'failure: its C library is glibc 2.27, but the Node.js 24.21.0 that muster sends needs glibc 2.28 or newer',
      subject({ observed: { libc: 'glibc 2.27' } }),
    ],
    [
      'system',
      'ok: Debian GNU/Linux 12 (bookworm), x86_64, glibc 2.28',
      subject({ observed: { libc: 'glibc 2.28' } }),
    ],
    [
      'system',
      'ok: Debian GNU/Linux 12 (bookworm), x86_64, musl',
      subject({
        facts: { node: { path: '/usr/bin/node', version: 'v24.1.0', rootOwned: true } },
        observed: { libc: 'musl' },
      }),
    ],
    [
      'services',
      'warning: it has no systemd, so the components would run as processes that do not start after a reboot',
      subject({ facts: { systemd: false } }),
    ],
    [
      'services',
      'ok: processes, as set in the file',
      subject({ host: { serviceManager: 'process' }, facts: { systemd: false } }),
    ],
    [
      'services',
      'failure: service-manager is systemd, but systemd is not process 1 there',
      subject({ host: { serviceManager: 'systemd' }, facts: { systemd: false } }),
    ],
    ['runtime', 'ok: Node.js v24.21.0, will be sent', subject()],
    [
      'runtime',
      'ok: its own Node.js v24.1.0, /usr/bin/node',
      subject({ facts: { node: { path: '/usr/bin/node', version: 'v24.1.0', rootOwned: true } } }),
    ],
    [
      'runtime',
      'failure: runtime is host, but the host has no Node.js',
      subject({ host: { runtime: 'host' } }),
    ],
    [
      'directory',
      'failure: root cannot write to /opt/muster: a part of that path is a file, or its file system is read-only',
      subject({ facts: { installation: installationFacts({ writable: false }) } }),
    ],
    [
      'installation',
      'failure: /opt/muster holds the installation of host db1 of cluster beta',
      subject({ facts: { installation: installationFacts({ manifest: manifest('beta', 'db1') }) } }),
    ],
    [
      'installation',
      'ok: 0.1.0-abc is installed',
      subject({
        facts: {
          installation: installationFacts({
            manifest: manifest('alpha', 'db1'),
            currentRelease: '0.1.0-abc',
          }),
        },
      }),
    ],
    [
      'disk',
      'failure: /opt/muster has 12 MiB free, but needs 300 MiB',
      subject({ facts: { installation: installationFacts({ freeBytes: 12 * 1024 ** 2 }) } }),
    ],
    [
      'disk',
      'warning: /opt/muster has 32 MiB free: another release and runtime may not fit',
      subject({
        facts: {
          installation: installationFacts({ manifest: manifest('alpha', 'db1'), freeBytes: 32 * 1024 ** 2 }),
        },
      }),
    ],
    [
      'disk',
      'failure: /opt/muster has 12 MiB free, but a change needs 16 MiB',
      subject({
        facts: {
          installation: installationFacts({ manifest: manifest('alpha', 'db1'), freeBytes: 12 * 1024 ** 2 }),
        },
      }),
    ],
    [
      'noexec',
      'failure: the file system of /opt/muster is mounted with noexec, so the Node.js that muster sends cannot run there',
      subject({ facts: { installation: installationFacts({ noexec: true }) } }),
    ],
    [
      'ports',
      'failure: port 8096 of the connector is in use: another program listens on 0.0.0.0:8096',
      subject({ facts: { listeners: [{ address: '0.0.0.0', port: 8096 }] } }),
    ],
  ])('include %s, which reports "%s"', (id, expected, of) => {
    expect(reasons(id, [of])).toEqual([expected])
  })
})

describe('installationProblems', () => {
  const codes = (host = hostConfig(), facts = hostFacts()): string[] =>
    installationProblems({ cluster: 'alpha', host, facts }).map(({ code }) => code)

  it('returns none for a fresh host', () => {
    expect(codes()).toEqual([])
  })

  it.each([
    ['another kernel', hostConfig(), hostFacts({ kernel: 'Darwin' }), ['unsupported-system']],
    ['another processor', hostConfig(), hostFacts({ machine: 's390x' }), ['unsupported-system']],
    [
      'systemd without systemd',
      hostConfig({ serviceManager: 'systemd' }),
      hostFacts({ systemd: false }),
      ['no-systemd'],
    ],
    [
      'systemd without root',
      hostConfig({ serviceManager: 'systemd' }),
      hostFacts({ uid: 1000, login: 'ops' }),
      ['not-enough-rights'],
    ],
    [
      'systemd without systemd and root, in a folder that may not be written, as one problem',
      hostConfig({ serviceManager: 'systemd' }),
      hostFacts({
        systemd: false,
        uid: 1000,
        login: 'ops',
        installation: installationFacts({ writable: false }),
      }),
      ['no-systemd'],
    ],
    [
      'another user without root',
      hostConfig({ user: 'muster' }),
      hostFacts({ uid: 1000, login: 'ops' }),
      ['not-enough-rights'],
    ],
    [
      'a folder that may not be written',
      hostConfig(),
      hostFacts({ uid: 1000, login: 'ops', installation: installationFacts({ writable: false }) }),
      ['not-enough-rights'],
    ],
    [
      'a full disk',
      hostConfig(),
      hostFacts({ installation: installationFacts({ freeBytes: 1024 }) }),
      ['disk-full'],
    ],
    [
      'a file system on which a Node.js that is sent cannot be run',
      hostConfig(),
      hostFacts({ installation: installationFacts({ noexec: true }) }),
      ['noexec'],
    ],
    [
      'a port that another program has',
      hostConfig(),
      hostFacts({ listeners: [{ address: '0.0.0.0', port: 8096 }] }),
      ['port-in-use'],
    ],
    [
      'a port that only root may open',
      hostConfig({ apis: [{ component: 'manager', enabled: true, address: '127.0.0.1', port: 443 }] }),
      hostFacts({ systemd: false }),
      ['privileged-port'],
    ],
    [
      'an address of another host',
      hostConfig({
        apis: [{ component: 'manager', enabled: true, address: '10.0.0.99', port: 8090 }],
      }),
      hostFacts(),
      ['address-not-here'],
    ],
  ])('returns %s', (_, host, facts, expected) => {
    expect(codes(host, facts)).toEqual(expected)
  })

  it('returns noexec only if a runtime is sent', () => {
    const installation = installationFacts({ noexec: true })
    const node = { path: '/usr/bin/node', version: 'v24.1.0', rootOwned: true }
    expect(codes(hostConfig(), hostFacts({ installation, node }))).toEqual([])
    expect(codes(hostConfig({ connection: 'local' }), hostFacts({ installation }))).toEqual([])
    expect(codes(hostConfig({ runtime: 'upload' }), hostFacts({ installation, node }))).toEqual(['noexec'])
  })
})

describe('spaceProblems', () => {
  const step = (id: string, kind?: 'delete'): PlannedStep => ({
    step: { id, title: id, phase: 'commit', apply: async () => {} },
    change: { summary: id, details: [], ...(kind && { kind }) },
  })
  const problems = (mebibytes: number, ...steps: readonly PlannedStep[]): readonly string[] =>
    spaceProblems({
      host: hostConfig(),
      facts: hostFacts({ installation: installationFacts({ freeBytes: mebibytes * 1024 ** 2 }) }),
      steps,
    }).map(({ code, message }) => `${code}: ${message}`)

  it('returns none without steps, and none for steps that only remove something', () => {
    expect(problems(0)).toEqual([])
    expect(problems(0, step('old-releases', 'delete'))).toEqual([])
  })

  it('returns the space that the planned steps need', () => {
    expect(problems(16, step('settings'), step('services'))).toEqual([])
    expect(problems(15, step('settings'))).toEqual([
      'disk-full: /opt/muster has 15 MiB free, but a change needs 16 MiB',
    ])
    expect(problems(66, step('release'), step('settings'))).toEqual([])
    expect(problems(65, step('release'), step('settings'))).toEqual([
      'disk-full: /opt/muster has 65 MiB free, but a change like this one needs 66 MiB',
    ])
    expect(problems(265, step('runtime'), step('release'))).toEqual([
      'disk-full: /opt/muster has 265 MiB free, but a change like this one needs 266 MiB',
    ])
  })
})
