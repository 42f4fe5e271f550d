import { describe, expect, it } from 'vitest'
import type { HostFacts } from '../../../src/deployment/facts/hostFacts.ts'
import { preview } from '../../../src/deployment/hostPlan.ts'
import { installPlan } from '../../../src/deployment/plans/installPlan.ts'
import { serviceData } from '../../../src/deployment/services/implementations.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { finishedFacts, hash, targetOf } from './target.ts'

const finished = finishedFacts(targetOf())
const former = serviceData('process', { root: '/opt/muster', cluster: 'alpha' })

/** The host with components as processes, whose user is another one than the cluster's own. */
const older: HostFacts = {
  ...finished,
  userGroup: 'muster',
  installation: {
    ...finished.installation,
    account: { place: 'process', user: 'muster' },
    directories: new Map([
      ...[...finished.installation.directories].filter(([path]) => path.startsWith('/opt/muster')),
      ...former.folders.map((path) => [path, { mode: 0o700, owner: 'muster:muster' }] as const),
    ]),
    applied: new Map(),
  },
}
const stepsOn = (facts: HostFacts, host: Parameters<typeof targetOf>[0] = {}) =>
  preview(installPlan({ target: targetOf({ ...host, facts }), packed: () => undefined }), facts)

async function applied(
  id: string,
  facts: HostFacts,
  host: Parameters<typeof targetOf>[0] = {},
): Promise<string> {
  const planned = stepsOn(facts, host).find(({ step }) => step.id === id)
  const transport = fakeTransport({ expect: [{ script: '' }] })
  await planned?.step.apply(transport)
  expect(transport.scripts).toHaveLength(1)
  return transport.scripts.join('')
}
const asMuster =
  'timeout -k 5 120 setpriv --reuid=muster --regid=$(id -g muster) --clear-groups --no-new-privs -- '

describe('an installation whose components were processes', () => {
  it('keeps its user and component data, which is copied and removed at the end', () => {
    const steps = stepsOn(older)
    expect(steps.map(({ step }) => step.id)).toEqual([
      'directories',
      'data',
      'stores',
      'units',
      'services',
      'old-data',
    ])
    const of = (id: string) => steps.find(({ step }) => step.id === id)
    expect(of('system-user')).toBeUndefined()
    expect(of('directories')?.change.details).toEqual([
      '/var/lib/muster-alpha: new',
      '/var/log/muster-alpha: new',
    ])
    expect(of('data')).toMatchObject({
      step: { phase: 'commit' },
      change: {
        summary: 'copy the components’ data to /var/lib/muster-alpha',
        details: [`from ${former.folders.join(', ')}`],
      },
    })
    expect(of('old-data')).toMatchObject({
      step: { phase: 'verify' },
      change: { summary: 'remove old data', details: former.folders },
    })
  })

  it('has its data copied as its own user before any file refers to the copy', async () => {
    const script = await applied('data', older)
    expect(script.startsWith(`${asMuster}sh -c `)).toBe(true)
    expect(script).toMatch(
      / sh \/opt\/muster\/data \/var\/lib\/muster-alpha \/opt\/muster\/data \/var\/log\/muster-alpha$/,
    )
    const ids = stepsOn(older).map(({ step }) => step.id)
    expect(ids.indexOf('data')).toBeLessThan(ids.indexOf('services'))
  })

  it('is stopped before the last copy, and started after the new place is recorded', async () => {
    const script = await applied('services', older)
    const places = [
      'systemctl stop muster-alpha-manager.service',
      '/opt/muster/data /var/lib/muster-alpha',
      "printf '%s\\n' 'systemd muster' > /opt/muster/share/account.new && mv -f /opt/muster/share/account.new /opt/muster/share/account || exit 1",
      'systemctl start muster-alpha-manager.service',
      '> /opt/muster/share/applied/manager',
    ].map((words) => script.indexOf(words))
    expect(places).toEqual(places.toSorted((one, other) => one - other))
    expect(places).not.toContain(-1)
  })

  it('gets new users in the user file of the running components', async () => {
    const users = new Secret(
      JSON.stringify({
        version: 1,
        users: [{ user: 'admin', access: 'full', hash: hash.replace('B', 'C') }],
      }),
    )
    const facts = { ...older, installation: { ...older.installation, users } }
    expect(await applied('users', facts)).toContain(
      `${asMuster}/opt/muster/releases/${targetOf().release.id}/node /opt/muster/releases/${targetOf().release.id}/muster-api.cjs put-user --file /opt/muster/data/users.json`,
    )
  })

  it('has its old data removed with the rights of its own user', async () => {
    const script = await applied('old-data', older)
    for (const folder of former.folders) {
      expect(script).toContain(`${asMuster}find ${folder} -xdev -mindepth 1 -delete; rmdir ${folder}; fi`)
    }
    expect(script).not.toMatch(/rm -rf|^rm /m)
  })
})

describe('a change of the service manager', () => {
  it('copies component data from the previous place', async () => {
    const processes = { host: { serviceManager: 'process' } } as const
    const steps = stepsOn(finished, processes)
    const detail = (id: string) => steps.find(({ step }) => step.id === id)?.change.details
    expect(detail('data')).toEqual(['from /var/lib/muster-alpha, /var/log/muster-alpha'])
    expect(detail('old-data')).toEqual(['/var/lib/muster-alpha', '/var/log/muster-alpha'])
    expect(await applied('data', finished, processes)).toMatch(
      / sh \/var\/lib\/muster-alpha \/opt\/muster\/data \/var\/log\/muster-alpha \/opt\/muster\/data$/,
    )
  })
})

describe('unmoved component data', () => {
  it('is neither copied nor removed', () => {
    expect(stepsOn(finished)).toEqual([])
  })

  it('of a removed component is deleted after verification, as the service user', async () => {
    const apis = targetOf().host.apis.filter(({ component }) => component !== 'connector')
    const script = await applied('old-data', finished, { host: { apis } })
    expect(script).toContain(
      'setpriv --reuid=muster-alpha --regid=$(id -g muster-alpha) --clear-groups --no-new-privs -- rm -f /var/lib/muster-alpha/connector.json',
    )
    expect(script).not.toContain('find')
  })

  it('in the place of another service manager stays where nothing was started yet', () => {
    const { account: _, ...installation } = finished.installation
    const directories = new Map(installation.directories).set(former.log, { mode: 0o750, owner: 'x:x' })
    const facts = { ...finished, installation: { ...installation, directories } }
    expect(stepsOn(facts).map(({ step }) => step.id)).not.toContain('old-data')
  })

  it('stays where two service managers have the same folders', () => {
    const left = new Map(finished.installation.directories).set(former.log, { mode: 0o750, owner: 'x:x' })
    const facts = { ...finished, installation: { ...finished.installation, directories: left } }
    const oldData = (data: typeof former) => {
      const target = { ...targetOf({ facts }), data }
      const steps = preview(installPlan({ target, packed: () => undefined }), facts)
      return steps.find(({ step }) => step.id === 'old-data')?.change.details
    }
    expect(oldData(targetOf().data)).toEqual(['/opt/muster/data'])
    expect(oldData({ ...former, place: 'systemd' })).not.toContain('/opt/muster/data')
  })

  it('that an interrupted run left is removed by the next run', () => {
    const left = new Map(finished.installation.directories).set(former.log, { mode: 0o750, owner: 'x:x' })
    const facts = { ...finished, installation: { ...finished.installation, directories: left } }
    expect(stepsOn(facts).map(({ step, change }) => [step.id, change.details])).toEqual([
      ['old-data', ['/opt/muster/data']],
    ])
  })
})
