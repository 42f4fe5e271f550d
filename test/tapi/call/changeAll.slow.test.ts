import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FakeComponent, fakeComponent } from '../fakeComponent.ts'
import { alpha, connectorStatus, db1, map } from '../payloads.ts'
import { type RunOptions, workplace } from '../support.ts'

const login = { user: 'admin', password: 'right' }

let place: Awaited<ReturnType<typeof workplace>>
let connectors: readonly FakeComponent[]

/** Three hosts with a connector each; db3 has a manager, too. */
beforeEach(async () => {
  place = await workplace()
  connectors = await Promise.all(['db1', 'db2', 'db3'].map(() => fakeComponent('connector', login)))
  for (const { answers } of connectors) {
    answers.set('connectorOnhold', { payload: { ...connectorStatus, datasources: [], changed: true } })
  }
  await recordHosts()
})
afterEach(async () => {
  await Promise.all(connectors.map((it) => it.close()))
  await place.remove()
})

const recordHosts = (cluster = 'alpha', more: readonly object[] = []) =>
  place.record(cluster, [
    ...connectors.map(({ port }, index) => ({
      name: `db${index + 1}`,
      address: '127.0.0.1',
      apis: [{ component: 'connector', address: '0.0.0.0', port }],
    })),
    { name: 'db4', address: '127.0.0.1', apis: more },
  ])

async function tapi(argv: readonly string[], options: RunOptions = {}) {
  const env = { TAPI_USER: login.user, TAPI_PASSWORD: login.password, ...options.env }
  const { code, stdout, stderr } = await place.run(argv, { ...options, env })
  return { code, stdout, stderr }
}

const changes = () => connectors.map((it) => it.changes())
const onhold = 'POST /api/v2/connector/onhold?i-am-sure=true'
const done = 'ONHOLD, changed, 12 active, 4 held'

describe('tapi --all', () => {
  it('changes every host that has the component, and reports each on one line', async () => {
    expect(await tapi(['--all', 'connector', 'onhold', '--i-am-sure'])).toEqual({
      code: 0,
      stdout: `host  component  result  what
db1   connector  done    ${done}
db2   connector  done    ${done}
db3   connector  done    ${done}
`,
      stderr: '',
    })
    expect(changes()).toEqual([[onhold], [onhold], [onhold]])
  })

  it('asks once for confirmation and once for the password', async () => {
    const typed = ['yes\n', 'right\r']
    const { code, stderr } = await tapi(['connector', 'onhold', '--all'], {
      typed,
      env: { TAPI_PASSWORD: '' },
    })
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^Let the connectors of db1, db2 and db3 \(cluster alpha\) hold new connections\? .* \[yes\/no\] The password of admin: \n$/,
    )
  })

  it('sends nothing without confirmation: without a terminal, and after the answer no', async () => {
    const { code, stderr } = await tapi(['--all', 'connector', 'onhold'])
    expect(code).toBe(3)
    expect(stderr).toContain(
      'changes the connectors of db1, db2 and db3 (cluster alpha), and there is no terminal',
    )
    expect((await tapi(['--all', 'connector', 'onhold'], { typed: ['no\n'] })).code).toBe(1)
    expect(connectors.flatMap(({ sent }) => sent)).toEqual([])
  })

  it('changes no host if one is unreachable, and explains how to change the others', async () => {
    await connectors[1]?.close()
    const { code, stdout, stderr } = await tapi(['--all', 'connector', 'onhold', '--yes'])
    expect(code).toBe(4)
    expect(stdout).toBe(`host  component  result       what
db1   connector  unchanged
db2   connector  unreachable  connection refused
db3   connector  unchanged
`)
    expect(stderr).toMatch(/^db2 connector at https:\S+\nerror: The connection to .*\n {2}fix: /)
    expect(stderr).toContain('error: Nothing was changed on any host')
    expect(stderr).toContain('--skip-unreachable')
    expect(changes()).toEqual([[], [], []])
  })

  it('changes the other hosts with --skip-unreachable, and exits with 4', async () => {
    await connectors[1]?.close()
    const { code, stdout } = await tapi(['--all', '--skip-unreachable', 'connector', 'onhold', '--yes'])
    expect(code).toBe(4)
    expect(stdout).toMatch(/^db1 .* done .*\ndb2 .* unreachable .*\ndb3 .* done .*\n$/m)
    expect(changes()).toEqual([[onhold], [], [onhold]])
  })

  it('exits with 4 if every host is unreachable, even with --skip-unreachable', async () => {
    for (const it of connectors) await it.close()
    const { code } = await tapi(['--all', '--skip-unreachable', 'connector', 'onhold', '--yes'])
    expect(code).toBe(4)
  })

  it('changes no host if one refuses the login, and exits with 1 even if another is unreachable', async () => {
    await connectors[1]?.close()
    connectors[2]?.answers.set('connectorOnhold', { problem: 'locked-out' })
    for (const skip of [[], ['--skip-unreachable']]) {
      const { code, stdout } = await tapi(['--all', ...skip, 'connector', 'onhold', '--yes'])
      expect(code).toBe(1)
      expect(stdout).toMatch(/^db3 +connector +refused +429 locked-out$/m)
    }
    expect(changes()).toEqual([[], [], []])
  })

  it('exits with 1 if one host refuses the change, and changes the others', async () => {
    connectors[0]?.answers.set('connectorOnhold dry', {
      payload: { ...connectorStatus, datasources: [], changed: true },
    })
    connectors[0]?.answers.set('connectorOnhold', { problem: 'operation-running' })
    const { code, stdout, stderr } = await tapi(['--all', 'connector', 'onhold', '--yes'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^db1 +connector +refused +409 operation-running$/m)
    expect(stdout).toMatch(/^db3 +connector +done +ONHOLD, changed/m)
    expect(stderr).toContain('error: Another operation is running [409 operation-running]')
  })

  it('prints a JSON list with --json', async () => {
    await connectors[2]?.close()
    const argv = ['--all', '--skip-unreachable', '--json', 'connector', 'onhold', '--yes']
    const { stdout, stderr } = await tapi(argv)
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual([
      {
        host: 'db1',
        component: 'connector',
        status: 200,
        body: expect.objectContaining({ payloadVersion: '1' }),
      },
      { host: 'db2', component: 'connector', status: 200, body: expect.anything() },
      { host: 'db3', component: 'connector', error: expect.objectContaining({ code: 'refused' }) },
    ])
  })

  it('exits with 130 and changes nothing if it is interrupted', async () => {
    const abort = new AbortController()
    abort.abort()
    expect(await tapi(['--all', 'connector', 'onhold', '--yes'], { signal: abort.signal })).toMatchObject({
      code: 130,
    })
    expect(changes()).toEqual([[], [], []])
  })

  it.each([
    [['--all', '--host', 'db9', 'connector', 'onhold', '--yes'], 'There is no record of a host db9.'],
    [['--all', '--port', '1', 'connector', 'onhold', '--yes'], '--all cannot be used with --port.'],
    [['--all', '--cluster', 'x', 'connector', 'onhold', '--yes'], 'There is no record of a cluster x.'],
    [['--all', 'replicator', 'reset', '--yes'], 'No host of cluster alpha has the API of a replicator.'],
    [
      ['--all', 'connector', 'status'],
      '--all is for status, topology, events and commands that change something; this command reads from one host.',
    ],
    [
      ['--all', '--skip-unreachable', 'status'],
      '--skip-unreachable is for commands that change something; this command only reads.',
    ],
    [['--host', 'db1', '--skip-unreachable', 'connector', 'onhold'], '--skip-unreachable requires --all.'],
  ])('exits with 3 for %j', async (argv, message) => {
    expect(await tapi(argv)).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining(message) })
  })

  it('asks for --cluster if several clusters are recorded', async () => {
    const others = connectors.map(({ port }, index) => ({
      name: `b${index + 1}`,
      address: '127.0.0.1',
      apis: [{ component: 'connector', address: '0.0.0.0', port }],
    }))
    await place.record('beta', others)
    const argv = ['--all', 'connector', 'onhold', '--yes']
    expect(await tapi(argv)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(
        `--all matches 2 clusters:\n  alpha  ${place.folderOf('alpha')}\n  beta   ${place.folderOf('beta')}\n`,
      ),
    })
    expect((await tapi(argv, { cwd: place.folderOf('alpha') })).stdout).toMatch(/^db1 /m)
    expect((await tapi([...argv, '--cluster', 'beta'])).code).toBe(0)
  })

  /** A cluster gamma of two hosts with a manager each. */
  async function twoManagers() {
    const managers = await Promise.all([1, 2].map(() => fakeComponent('manager', login)))
    for (const { answers } of managers) {
      answers.set('managerServicesMap', { payload: map })
      answers.set('managerServiceStatus', { payload: alpha })
      answers.set('managerOffline', { payload: { ...db1, state: 'OFFLINE', changed: true } })
    }
    await place.record(
      'gamma',
      managers.map(({ port }, index) => ({
        name: `g${index}`,
        address: '127.0.0.1',
        apis: [{ component: 'manager', address: '0.0.0.0', port }],
      })),
    )
    return managers
  }

  it('prints each remark of the hosts once, and exits with 6 unless one failed', async () => {
    const managers = await twoManagers()
    const changed = { ...db1, state: 'OFFLINE', changed: true }
    for (const [index, { answers }] of managers.entries()) {
      const remarks = ['Nobody can write.', `The connector of g${index} is busy.`]
      answers.set('managerOffline', { payload: { ...changed, remarks } })
    }
    const argv = ['--all', '--cluster', 'gamma', 'datasource', 'offline', 'db1', '--yes']
    const { code, stdout, stderr } = await tapi(argv)
    expect([code, stdout]).toEqual([6, expect.stringMatching(/^g1 +manager +done +OFFLINE, changed$/m)])
    expect(stderr.match(/^note: (?!the policy).*$/gm)).toEqual([
      'note: Nobody can write.',
      'note: The connector of g0 is busy.',
      'note: The connector of g1 is busy.',
    ])
    const json = await tapi([...argv, '--json'])
    expect([json.code, json.stderr]).toEqual([6, ''])
    managers[0]?.answers.set('managerOffline', { problem: 'operation-running' })
    expect((await tapi(argv)).code).toBe(1)
    await Promise.all(managers.map((it) => it.close()))
  })

  it('looks up on each manager what the command line omits, and prints a note once', async () => {
    const managers = await twoManagers()
    const argv = ['--cluster', 'gamma', 'datasource', 'offline', 'db1', '--yes']
    const { code, stdout, stderr } = await tapi(['--all', ...argv])
    const [all = ''] = managers[0]?.changes() ?? []
    expect(all, 'each manager is told by tapi itself').toMatch(/offline\?i-am-sure=true&peers=alone$/)
    const alone = await tapi(['--host', 'g0', ...argv])
    const reach = { managers: ['g0', 'g1', 'g2'], remarks: ['g3 does not have it: it is off.'] }
    for (const { answers } of managers)
      answers.set('managerOffline', { payload: { ...db1, state: 'OFFLINE', changed: true, ...reach } })
    const led = await tapi(['--host', 'g0', '--skip-unreachable', ...argv])
    const [sent = ''] = managers[0]?.changes().slice(-1) ?? []
    expect(sent).toMatch(/offline\?i-am-sure=true&peers=reachable$/)
    const beside = await tapi(['--host', 'g1', '--all', 'datasource', 'offline', 'db1', '--yes'])
    await Promise.all(managers.map((it) => it.close()))
    expect([code, stdout]).toEqual([
      0,
      `host  component  result  what
g0    manager    done    OFFLINE, changed
g1    manager    done    OFFLINE, changed
`,
    ])
    expect(beside.stdout, 'a host beside --all names its cluster').toBe(stdout)
    expect(stderr.match(/^note: /gm)).toHaveLength(1)
    expect(alone.stderr).toContain(
      'note: this changed only g0. Other hosts of gamma: g1. Repeat it with --all to change all of them.\n',
    )
    expect(led.code, 'done, but not everywhere').toBe(6)
    expect(led.stderr).toContain('note: g0, g1 and g2 have it.\nnote: g3 does not have it: it is off.\n')
    expect(led.stderr).not.toContain('changed only')
  })
})

describe('tapi --all create-admin-user', () => {
  const env = { TAPI_NEW_PASSWORD: 'something long' }
  const body =
    '{"payloadType":"CredentialsPayload","payloadVersion":"1","payload":{"user":"bob","pass":"something long"}}'
  const create = `POST /api/v2/createAdminUser?i-am-sure=true ${body}`
  const report = `host  component  result  what
db1   connector  done    sample
db2   connector  done    sample
db3   connector  done    sample
`

  it('creates the user on every host with one login, only if a host needs one', async () => {
    const argv = ['--all', 'create-admin-user', 'bob', '--yes']
    expect(await tapi(argv, { env })).toEqual({ code: 0, stdout: report, stderr: '' })
    expect(changes()).toEqual([[create], [create], [create]])
  })

  it('logs in at once with --user, and checks every host before the first change', async () => {
    const argv = ['--all', '--user', 'admin', 'create-admin-user', 'bob', '--yes']
    expect(await tapi(argv, { env })).toMatchObject({ code: 0, stdout: report })
    expect(changes()).toEqual([[create], [create], [create]])
    await connectors[2]?.close()
    const { code, stderr } = await tapi(argv, { env })
    expect([code, stderr]).toEqual([4, expect.stringContaining('Nothing was changed on any host')])
    expect(changes()).toEqual([[create], [create], [create]])
  })

  it('asks once for all hosts', async () => {
    const argv = ['--all', '--user', 'admin', 'create-admin-user', 'bob']
    const { code, stderr } = await tapi(argv, { env, typed: ['no\n'] })
    expect([code, stderr]).toEqual([
      1,
      'Create the user bob on db1, db2 and db3 (cluster alpha), or change its password? [yes/no] Nothing was changed.\n',
    ])
    expect(connectors.flatMap(({ sent }) => sent)).toEqual([])
  })

  it('explains how to continue if --user should be the first user and the hosts already have one', async () => {
    const argv = ['--all', '--user', 'bob', 'create-admin-user', '--yes']
    const { code, stdout } = await tapi(argv, { env: { TAPI_PASSWORD: 'something long' } })
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^db1 +connector +refused +401 login-refused$/m),
    ])
  })
})
