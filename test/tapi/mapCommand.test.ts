import { describe, expect, it } from 'vitest'
import { readDataSource } from '../../src/tapi/mapCommand.ts'
import { fakeHost } from './fakeHost.ts'
import { map, twoServices } from './payloads.ts'

const shown = `service  data source  role     state    address
alpha    db1          primary  ONLINE   10.0.0.11:3306
alpha    db2          replica  FAILED   [fd00::12]:3306
alpha    db3          replica  SHUNNED  10.0.0.13:3306
`

async function host() {
  const { tapi, apis, file } = await fakeHost('manager', 'connector', 'replicator')
  for (const name of ['manager', 'connector'] as const) {
    apis[name].answers.set(`${name}ServicesMap`, { payload: map })
    apis[name].answers.set(`${name}ChangeServicesMap`, { payload: { ...map, changed: true } })
  }
  return { tapi, file, ...apis }
}

const path = (component: string): string => `/api/v2/${component}/configuration/module/servicesmap`

describe('tapi map', () => {
  it('shows the map of the manager, and of the connector with --component', async () => {
    const { tapi, manager, connector } = await host()
    expect(await tapi(['map', 'show'])).toEqual({ code: 0, stdout: shown, stderr: '' })
    expect(await tapi(['map', 'show', '--component', 'connector'])).toEqual({
      code: 0,
      stdout: shown,
      stderr: '',
    })
    expect(manager.sent).toEqual([`GET ${path('manager')}`])
    expect(connector.sent).toEqual([`GET ${path('connector')}`])
    expect(await tapi(['map', 'show', '--component', 'replicator'])).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'error: This command calls the manager or the connector, not the replicator.\n  fix: Use --component manager or connector.\n',
    })
  })

  it('shows the map of the connector if the host has no manager, and never that of the replicator', async () => {
    const { tapi, apis } = await fakeHost('replicator', 'connector')
    apis.connector.answers.set('connectorServicesMap', { payload: { services: [] } })
    expect(await tapi(['map', 'show'])).toEqual({ code: 0, stdout: 'no services\n', stderr: '' })
    const { tapi: alone } = await fakeHost('replicator')
    expect(await alone(['map', 'show'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('has no manager or connector API. It has: replicator'),
    })
  })

  it('set accepts the output of `map show --json`, a bare payload, and standard input', async () => {
    const { tapi, file, manager } = await host()
    const printed = await tapi(['map', 'show', '--json'])
    const whole = await file('whole.json', printed.stdout)
    const bare = await file('bare.json', JSON.stringify({ services: [] }))
    expect(await tapi(['map', 'set', whole, '--yes'])).toEqual({
      code: 0,
      stdout: `${shown}changed\n`,
      stderr: '',
    })
    expect((await tapi(['map', 'set', bare, '--yes'])).code).toBe(0)
    expect((await tapi(['map', 'set', '-', '--yes'], { stdin: '{"services":[]}' })).code).toBe(0)
    const body = (services: unknown) => {
      const payload = JSON.stringify({
        payloadType: 'ServicesMapPayload',
        payloadVersion: '1',
        payload: { services },
      })
      return `POST ${path('manager')}?i-am-sure=true ${payload}`
    }
    const withoutStates = JSON.parse(
      JSON.stringify(map.services, (key, value) => (key === 'state' ? undefined : value)),
    )
    expect(printed.stdout).toContain('"state"')
    expect(manager.sent.slice(1)).toEqual([body(withoutStates), body([]), body([])])
  })

  it('set sends nothing that is not a map', async () => {
    const { tapi, file, manager } = await host()
    for (const text of ['{', '[]', '{"payload":{"services":1}}']) {
      const bad = await file('bad.json', text)
      expect(await tapi(['map', 'set', bad, '--yes'])).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('bad.json contains no services map.'),
      })
    }
    expect(await tapi(['map', 'set', '-', '--password-stdin', '--yes'])).toMatchObject({ code: 3 })
    expect(manager.sent).toEqual([])
  })

  it('adds services and data sources', async () => {
    const { tapi, manager } = await host()
    const source = { name: 'db4', host: 'fd00::14', port: 3307, role: 'replica' }
    const added = { service: 'alpha', ...source, state: 'ONLINE', changed: true }
    manager.answers.set('managerAddDataSource', { payload: added })
    expect(await tapi(['map', 'add-datasource', 'db4=replica@[fd00::14]:3307', '--yes'])).toEqual({
      code: 0,
      stdout: `service  data source  role     state   address
alpha    db4          replica  ONLINE  [fd00::14]:3307
changed
`,
      stderr: '',
    })
    const argv = [
      'map',
      'add-service',
      'beta',
      '--datasource',
      'db1=primary@h',
      '--datasource',
      'db2=replica@i',
    ]
    expect((await tapi([...argv, '--yes'])).code).toBe(0)
    const sent = manager.sent
      .filter((it) => it.startsWith('POST'))
      .map((it) => JSON.parse(it.split(' ')[2] ?? ''))
    expect(sent.map(({ payload }) => payload)).toEqual([
      { service: 'alpha', ...source },
      {
        name: 'beta',
        datasources: [
          { name: 'db1', host: 'h', port: 3306, role: 'primary' },
          { name: 'db2', host: 'i', port: 3306, role: 'replica' },
        ],
      },
    ])
  })

  it('asks for the service if there are several', async () => {
    const { tapi, manager } = await host()
    manager.answers.set('managerServicesMap', { payload: twoServices })
    expect(await tapi(['map', 'add-datasource', 'db4=replica@h', '--yes'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('it is in alpha, beta.'),
    })
    expect(manager.sent).toEqual([`GET ${path('manager')}`])
  })

  it('shows why a change is refused', async () => {
    const { tapi, connector } = await host()
    connector.answers.set('connectorReset', { problem: 'follows-manager' })
    expect(await tapi(['map', 'reset', '--component', 'connector', '--yes'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('[409 follows-manager]'),
    })
  })
})

describe('the argument of tapi map add-datasource', () => {
  it('has the form NAME=ROLE@HOST:PORT', () => {
    const db4 = { name: 'db4', role: 'replica', host: 'h', port: 3306 }
    expect(readDataSource('db4=replica@h')).toEqual(db4)
    expect(readDataSource('db4=replica@h:3307')).toEqual({ ...db4, port: 3307 })
    expect(readDataSource('db4=replica@[::1]')).toEqual({ ...db4, host: '::1' })
  })

  it.each([
    'db4',
    'db4=replica',
    '=replica@h',
    'db4=replica@',
    'db4=replica@::1',
    'db4=replica@h:0',
    'db4=replica@h:x',
    'db4=slave@h',
  ])('is refused as %s', (written) => {
    expect(() => readDataSource(written)).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })
})
