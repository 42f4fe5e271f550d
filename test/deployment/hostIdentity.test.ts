import { describe, expect, it } from 'vitest'
import {
  foreignInstallation,
  machineChanged,
  type RecordedMachines,
  requireOwnMachine,
  withMachines,
} from '../../src/deployment/hostIdentity.ts'
import { manifestText } from '../../src/deployment/manifest.ts'
import { emptyState } from '../../src/deployment/state/clusterState.ts'
import { hostConfig, hostFacts, installationFacts } from '../support/deploymentValues.ts'
import { fakeTransport } from '../support/fakeTransport.ts'

const [own, other] = ['0123456789abcdef0123456789abcdef', 'fedcba9876543210fedcba9876543210']
type Case = {
  readonly recorded?: string
  readonly installed?: string
  readonly now?: string
  readonly connection?: 'ssh' | 'local'
  readonly replaced?: readonly string[]
}

const judged = ({ recorded, installed, now = own, connection = 'ssh', replaced = [] }: Case) =>
  machineChanged({
    host: hostConfig({ connection }),
    facts: hostFacts({
      machineId: now,
      installation: installationFacts(
        installed === undefined
          ? {}
          : { manifest: manifestText({ version: 1, cluster: 'alpha', host: 'db1', machineId: installed }) },
      ),
    }),
    machines: {
      recorded: new Map(recorded === undefined ? [] : [['db1', recorded]]),
      folders: new Map(),
      replaced,
    },
  })

describe('the machine behind a host', () => {
  it.each<[string, Case]>([
    ['no recorded machine', {}],
    ['the recorded machine', { recorded: own, installed: own }],
    ['no machine-id at its installation', { now: '' }],
    ['--replaced names the host', { recorded: other, installed: other, replaced: ['db1'] }],
    ['this machine', { recorded: other, installed: other, connection: 'local' }],
  ])('is accepted: %s', (_, one) => {
    expect(judged(one)).toBeUndefined()
  })

  it.each<[string, Case]>([
    ['not the one of the state directory', { recorded: other }],
    ['not the one of its manifest, as after copying a disk', { installed: other }],
    ['the one of the manifest, but not of the state directory', { recorded: other, installed: own }],
    ['no machine-id any more', { recorded: own, now: '' }],
    ['another machine, while --replaced names a different host', { recorded: other, replaced: ['db2'] }],
  ])('is rejected: %s', (_, one) => {
    expect(judged(one)?.code).toBe('other-machine')
  })

  it('is reported with a shortened machine-id and both fixes', () => {
    const error = judged({ recorded: other })
    expect(`${error?.message}\n${error?.fix}`).toMatchInlineSnapshot(`
      "db1 is not the machine that was installed: expected machine-id fedcba98…, but the machine at 10.0.0.11 has 01234567…
      Correct the address in the file if it now belongs to another machine. If db1 was replaced or reinstalled, run once: muster install --replaced db1"
    `)
    expect(judged({ recorded: own, now: '' })?.message).toMatch(/ the machine at 10\.0\.0\.11 has none$/)
  })

  it('is recorded with its machine-id if it is reached over SSH', () => {
    const surveyed = [
      { host: hostConfig(), facts: hostFacts() },
      { host: hostConfig({ name: 'db2', connection: 'local' }), facts: hostFacts() },
      { host: hostConfig({ name: 'db3' }), facts: hostFacts({ machineId: 'uninitialized' }) },
    ]
    const before = { ...emptyState, machines: new Map([['db4', other]]) }
    expect(withMachines(before, surveyed).machines).toEqual(
      new Map([
        ['db4', other],
        ['db1', own],
      ]),
    )
  })

  it('is recorded with its install-directory', () => {
    const surveyed = [
      { host: hostConfig(), facts: hostFacts() },
      {
        host: hostConfig({ name: 'db2', connection: 'local', installDirectory: '/srv/it' }),
        facts: hostFacts(),
      },
    ]
    expect(withMachines(emptyState, surveyed).folders).toEqual(
      new Map([
        ['db1', '/opt/muster'],
        ['db2', '/srv/it'],
      ]),
    )
  })
})

const installed = (machineId: string): string =>
  Buffer.from(manifestText({ version: 1, cluster: 'alpha', host: 'db1', machineId })).toString('base64')

describe('requireOwnMachine', () => {
  const ask = (stdout: string, recorded: RecordedMachines['recorded'] = new Map([['db1', own]])) => {
    const transport = fakeTransport({
      expect: [{ script: '/opt/muster/share/installation.json', result: { stdout } }],
    })
    const host = hostConfig({ connection: 'ssh' })
    return requireOwnMachine(transport, { host, machines: { recorded, folders: new Map(), replaced: [] } })
  }

  it.each([
    ['that was installed', `${own}\n${installed(own)}`],
    ['without an installation', `${own}\n`],
  ])('accepts the machine %s', async (_, stdout) => {
    await ask(stdout)
  })

  it.each([
    ['another machine-id than is known here', `${other}\n`],
    ['none', '\n'],
    ['another than its installation has', `${own}\n${installed(other)}`],
  ])('rejects a host with %s', async (_, stdout) => {
    await expect(ask(stdout)).rejects.toMatchObject({ code: 'other-machine', host: 'db1' })
  })

  it('rejects a host by its manifest if nothing is recorded', async () => {
    await ask(`${own}\n${installed(own)}`, new Map())
    await expect(ask(`${own}\n${installed(other)}`, new Map())).rejects.toMatchObject({
      code: 'other-machine',
    })
  })

  it('does not check this machine', async () => {
    const transport = fakeTransport({})
    const machines = { recorded: new Map([['db1', other]]), folders: new Map(), replaced: [] }
    await requireOwnMachine(transport, { host: hostConfig({ connection: 'local' }), machines })
    expect(transport.scripts).toEqual([])
  })
})

describe('foreignInstallation', () => {
  const judged = (manifest: string): string | undefined =>
    foreignInstallation({
      cluster: 'alpha',
      host: hostConfig(),
      facts: hostFacts({ installation: installationFacts({ manifest }) }),
    })?.message

  it("accepts the host's own installation and an empty folder", () => {
    expect(judged('{"version":1,"cluster":"alpha","host":"db1"}')).toBeUndefined()
    expect(judged('something else')).toBeUndefined()
    expect(foreignInstallation({ cluster: 'alpha', host: hostConfig(), facts: hostFacts() })).toBeUndefined()
  })

  it.each([
    ['cluster', '{"version":1,"cluster":"beta","host":"db1"}', 'host db1 of cluster beta'],
    ['host', '{"version":1,"cluster":"alpha","host":"db7"}', 'host db7 of cluster alpha'],
  ])('reports the installation of another %s', (_, manifest, whose) => {
    expect(judged(manifest)).toBe(`/opt/muster holds the installation of ${whose}`)
  })

  it.each([
    [
      'beta',
      'db1',
      /^If the cluster was renamed in the file: name it beta again, run `muster uninstall`, then/,
    ],
    [
      'alpha',
      'db7',
      /^If db7 was renamed in the file: name it db7 again, run `muster uninstall --host db7`, then/,
    ],
    ['beta', 'db7', /^Choose another install-directory, or first uninstall that one with its own file\.$/],
  ])('proposes the old name for %s %s if only one name differs', (cluster, host, fix) => {
    const facts = hostFacts({
      installation: installationFacts({ manifest: manifestText({ version: 1, cluster, host }) }),
    })
    expect(foreignInstallation({ cluster: 'alpha', host: hostConfig(), facts })?.fix).toMatch(fix)
  })
})
