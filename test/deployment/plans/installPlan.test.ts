import { describe, expect, it } from 'vitest'
import type { HostFacts, InstallationFacts } from '../../../src/deployment/facts/hostFacts.ts'
import { preview } from '../../../src/deployment/hostPlan.ts'
import { installPlan } from '../../../src/deployment/plans/installPlan.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hostFacts, proxy } from '../../support/deploymentValues.ts'
import { monitorSettings } from '../../support/monitorSettings.ts'
import { finishedFacts, hash, runtime, targetOf } from '../steps/target.ts'

const target = targetOf()
const finished = finishedFacts(target)
const { layout, data, release } = target

/** What would change on a host, as its plan says it. */
const planned = (facts: HostFacts): readonly string[] =>
  preview(installPlan({ target, packed: () => undefined }), facts).flatMap(({ step, change }) => [
    `${step.id}: ${change.summary}`,
    ...change.details.map((detail) => `  ${detail}`),
  ])
const installation = (changes: Partial<InstallationFacts>): HostFacts => ({
  ...finished,
  installation: { ...finished.installation, ...changes },
})
const file = (path: string, changes: { sha256?: string; mode?: number; owner?: string }): HostFacts => {
  const is = finished.installation.files.get(path)
  if (is === undefined) throw new Error(`no ${path}`)
  return installation({ files: new Map(finished.installation.files).set(path, { ...is, ...changes }) })
}
const service = (state: 'running' | 'stopped' | 'failed', enabled: boolean): HostFacts => ({
  ...finished,
  services: new Map(finished.services).set('manager', { state, enabled }),
})

describe('the plan of an installation', () => {
  it('has all steps on an empty host', () => {
    expect(planned(hostFacts())).toEqual([
      'system-user: create the system user muster-alpha',
      'directories: set up /opt/muster',
      '  /opt/muster: new',
      '  /var/lib/muster-alpha: new',
      '  /var/log/muster-alpha: new',
      `runtime: send the runtime ${runtime.id}`,
      `release: send muster-api 1.2.3 as release ${release.id}`,
      'stores: write keystore, truststore and certificate',
      '  share/tls/keystore.p12: new',
      '  share/tls/key.pem: new',
      '  share/tls/chain.pem: new',
      '  share/secrets.json: new',
      'settings: write settings',
      '  share/manager.json: new',
      '  share/connector.json: new',
      '  share/replicator.json: new',
      'users: create the administrator admin',
      '  users.json: admin: [redacted] new',
      `activate: switch to release ${release.id}`,
      'units: write and enable systemd units',
      '  /etc/systemd/system/muster-alpha-manager.service: new',
      '  /etc/systemd/system/muster-alpha-connector.service: new',
      '  /etc/systemd/system/muster-alpha-replicator.service: new',
      '  muster-alpha-manager.service: enabled',
      '  muster-alpha-connector.service: enabled',
      '  muster-alpha-replicator.service: enabled',
      'services: start manager, connector, replicator',
    ])
  })

  it('has no steps on an up-to-date host', () => {
    expect(planned(finished)).toEqual([])
  })

  const withoutLog = new Map(finished.installation.directories)
  withoutLog.delete(data.log)
  const before = {
    ...target.components[0]?.settings,
    listen: { address: '127.0.0.1', port: 18090 },
  }

  it.each<[string, HostFacts, readonly string[]]>([
    [
      'a file that others may read',
      file(`${layout.tls}/key.pem`, { mode: 0o644 }),
      ['stores: write keystore, truststore and certificate', '  share/tls/key.pem: mode 644 → 640'],
    ],
    [
      'a private key that somebody changed, without a word of it',
      file(`${layout.tls}/key.pem`, { sha256: 'b'.repeat(64) }),
      ['stores: write keystore, truststore and certificate', '  share/tls/key.pem: [redacted] changed'],
    ],
    [
      'a file of another owner',
      file(layout.secretsFile, { owner: 'muster-alpha:muster-alpha' }),
      [
        'stores: write passwords',
        '  share/secrets.json: owner muster-alpha:muster-alpha → root:muster-alpha',
      ],
    ],
    [
      'a settings file that somebody changed',
      {
        ...file(layout.settings('manager'), { sha256: 'b'.repeat(64) }),
        installation: {
          ...file(layout.settings('manager'), { sha256: 'b'.repeat(64) }).installation,
          settings: new Map(finished.installation.settings).set('manager', before),
        },
      },
      ['settings: write settings', '  manager-rest-api-port: 18090 → 8090'],
    ],
    [
      'a folder that is gone',
      installation({ directories: withoutLog }),
      ['directories: set up /opt/muster', '  /var/log/muster-alpha: new'],
    ],
    [
      'a folder that others may write to',
      installation({
        directories: new Map(finished.installation.directories).set(data.state, {
          mode: 0o777,
          owner: 'muster-alpha:muster-alpha',
        }),
      }),
      ['directories: set up /opt/muster', '  /var/lib/muster-alpha: mode 777 → 700'],
    ],
    [
      'a password that was changed by hand',
      installation({
        users: new Secret(finished.installation.users?.reveal().replace('BBBB', 'CCCC') ?? ''),
      }),
      ['users: reset the password of admin', '  users.json: admin: [redacted] changed'],
    ],
    [
      'a user file that nobody can read',
      installation({ users: new Secret('{"version":1,"users":[{') }),
      ['users: create the administrator admin', '  users.json: admin: [redacted] new'],
    ],
    [
      'another release',
      installation({ currentRelease: '1.2.2-0123456789ab' }),
      [`activate: switch from 1.2.2-0123456789ab to release ${release.id}`],
    ],
    [
      'a release that was sent half',
      installation({ releases: [] }),
      [`release: send muster-api 1.2.3 as release ${release.id}`],
    ],
    ['a runtime that is gone', installation({ runtimes: [] }), [`runtime: send the runtime ${runtime.id}`]],
    [
      'what an interrupted run sent and nothing uses',
      installation({
        releases: [
          ...finished.installation.releases,
          { id: '1.0-a', turn: 0, node: 'node', nodeThere: true },
        ],
        runtimes: [...finished.installation.runtimes, 'node-1'],
      }),
      ['old-releases: remove old releases', '  releases/1.0-a', '  runtimes/node-1'],
    ],
    [
      'a unit that somebody changed, line by line',
      installation({
        files: new Map(finished.installation.files).set('/etc/systemd/system/muster-alpha-manager.service', {
          sha256: 'b'.repeat(64),
          mode: 0o644,
          owner: 'root:root',
        }),
        units: new Map(finished.installation.units).set('manager', 'Environment=PASSWORD=hunter2\n'),
      }),
      [
        'units: write and enable systemd units',
        '  /etc/systemd/system/muster-alpha-manager.service: changed',
        '    - Environment=[redacted]',
        `    + ${finished.installation.units.get('manager')}`,
      ],
    ],
    ['a component that is stopped', service('stopped', true), ['services: start manager']],
    ['a component that has failed', service('failed', true), ['services: start manager']],
    [
      'a unit that does not come back with the host',
      service('running', false),
      ['units: write and enable systemd units', '  muster-alpha-manager.service: enabled'],
    ],
    [
      'components that run with something older',
      installation({
        applied: new Map(finished.installation.applied).set('connector', 'older').set('replicator', 'older'),
      }),
      ['services: restart connector, replicator'],
    ],
  ])('has only the step for %s', (_, facts, lines) => {
    expect(planned(facts)).toEqual(lines)
  })

  it('stops and removes a component that the file no longer has', () => {
    const apis = target.host.apis.filter(({ component }) => component !== 'connector')
    const smaller = targetOf({ host: { apis } })
    const steps = preview(installPlan({ target: smaller, packed: () => undefined }), finished)
    expect(steps.map(({ change }) => change.summary)).toEqual([
      'write settings',
      'stop and remove connector',
      'restart manager',
      'remove old data',
    ])
    expect(steps.at(-1)?.change.details).toEqual(['/var/lib/muster-alpha/connector.json'])
    const gone = finishedFacts(smaller)
    expect(preview(installPlan({ target: smaller, packed: () => undefined }), gone)).toEqual([])
  })

  it('writes a new password of a database and restarts nothing', () => {
    const monitored = (monitor: string) =>
      targetOf({
        host: { monitor: { ...monitorSettings, user: 'm', password: { kind: 'env', name: 'M' } } },
        passwords: { monitor: new Secret(monitor) },
      })
    const steps = installPlan({ target: monitored('new'), packed: () => undefined })
    expect(preview(steps, finishedFacts(monitored('old'))).map(({ change }) => change)).toEqual([
      { summary: 'write passwords', details: ['share/secrets.json: [redacted] changed'] },
    ])
    expect(preview(steps, finishedFacts(monitored('new')))).toEqual([])
  })

  it('shows where a connector takes clients whenever it is started', () => {
    const open = targetOf({ host: { proxy } })
    const started = (facts: HostFacts) =>
      preview(installPlan({ target: open, packed: () => undefined }), facts).find(
        ({ step }) => step.id === 'services',
      )?.change
    expect(started(hostFacts())).toEqual({
      summary: 'start manager, connector, replicator',
      details: ['connector: clients of alpha at 127.0.0.1:9999, to read at 127.0.0.1:9998'],
    })
    const stopped = { state: 'stopped' as const, enabled: true }
    const facts = finishedFacts(open)
    expect(started({ ...facts, services: new Map(facts.services).set('manager', stopped) })?.details).toEqual(
      [],
    )
  })

  it('lets the clients of a running connector finish for its installed drain timeout', () => {
    const at = (drainTimeout: number) => targetOf({ host: { proxy: { ...proxy, drainTimeout } } })
    const drained = (is: HostFacts) =>
      preview(installPlan({ target: at(5000), packed: () => undefined }), is).find(
        ({ step }) => step.id === 'services',
      )?.change.drains
    const facts = finishedFacts(at(30_000))
    expect(drained(facts)).toBe(30_000)
    const stopped = new Map(facts.services).set('connector', { state: 'stopped', enabled: true })
    expect(drained({ ...facts, services: stopped })).toBeUndefined()
    expect(drained(hostFacts())).toBeUndefined()
    expect(drained(finishedFacts(targetOf()))).toBeUndefined()
    // The connector runs on as it is, and only the manager starts.
    const manager = new Map(finishedFacts(at(5000)).services).set('manager', {
      state: 'stopped',
      enabled: true,
    })
    expect(drained({ ...finishedFacts(at(5000)), services: manager })).toBeUndefined()
  })

  it('gives a unit a stop timeout longer than the drain timeout', () => {
    const [manager, connector] = targetOf({ host: { proxy: { ...proxy, drainTimeout: 90_500 } } }).components
    const lastWord = (content: unknown) => `${content}`.split(' ').at(-1)
    expect(lastWord(manager?.unitFile?.content)).toBe('40')
    expect(lastWord(connector?.unitFile?.content)).toBe('131')
  })

  it('never changes what API calls changed', () => {
    const kept = { sha256: 'c'.repeat(64), mode: 0o600, owner: 'muster-alpha:muster-alpha' }
    const files = new Map(finished.installation.files)
      .set(data.stateFile('manager'), kept)
      .set(data.stateFile('connector'), kept)
    expect(planned(installation({ files }))).toEqual([])
  })

  it('creates and resets several users in one step with a line for each', () => {
    const other = hash.replace('B', 'C')
    const users = [
      { user: 'admin', hash },
      { user: 'ops', hash },
      { user: 'nightly', hash },
      { user: 'unknown' },
    ]
    const steps = installPlan({ target: { ...target, users }, packed: () => undefined })
    const file = (...records: readonly { readonly user: string; readonly hash: string }[]) =>
      new Secret(JSON.stringify({ version: 1, users: records }))
    const told = (is: Secret) =>
      preview(steps, installation({ users: is })).map(({ change }) => [change.summary, ...change.details])
    expect(told(file({ user: 'admin', hash: other }, { user: 'mine', hash: other }))).toEqual([
      [
        'create the administrators ops and nightly, reset the password of admin',
        'users.json: admin: [redacted] changed',
        'users.json: ops: [redacted] new',
        'users.json: nightly: [redacted] new',
      ],
    ])
    expect(told(file(...users.slice(0, 3).map(({ user }) => ({ user, hash }))))).toEqual([])
  })

  it('reports a new hash of the same password not as a reset', () => {
    const users = [{ user: 'admin', hash, hashedOtherwise: true as const }]
    const steps = installPlan({ target: { ...target, users }, packed: () => undefined })
    const told = (is: string) => {
      const records = [{ user: 'admin', hash: is }]
      const file = new Secret(JSON.stringify({ version: 1, users: records }))
      return preview(steps, installation({ users: file })).map(({ change }) => [
        change.summary,
        ...change.details,
      ])
    }
    expect(told(hash.replace('B', 'C'))).toEqual([
      ['rehash the password of admin', 'users.json: admin: [redacted] same password, new hash'],
    ])
    expect(told(hash)).toEqual([])
  })

  it('does not change a user whose password is unknown here', () => {
    const steps = installPlan({ target: { ...target, users: [{ user: 'admin' }] }, packed: () => undefined })
    expect(preview(steps, installation({ users: new Secret('') })).map(({ step }) => step.id)).toEqual([])
  })
})
