import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DatabaseError } from '../../src/components/databases/databaseError.ts'
import { createReplication } from '../../src/components/databases/replication.ts'
import { createReplicator } from '../../src/components/replicator/createReplicator.ts'
import { openOfflineMarks } from '../../src/components/replicator/offlineMarks.ts'
import { replicatorApi } from '../../src/components/replicator/replicator.ts'
import { renderServices } from '../../src/tapi/replicatorCommand.ts'
import { type ExpectedStatement, fakeDatabase } from '../support/fakeDatabase.ts'
import { portOf } from '../support/https.ts'
import { mariadbOffline, mariadbReplica } from '../support/replicaRows.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { certificate, settingsIn, start } from '../support/testServer.ts'
import { type RunOptions, workplace } from './support.ts'

let place: Awaited<ReturnType<typeof workplace>>
beforeEach(async () => {
  place = await workplace()
})
afterEach(() => place.remove())

const database = { type: 'mariadb', host: '127.0.0.1', port: 3306, user: 'muster', service: 'alpha' } as const
const login = { TAPI_USER: 'admin', TAPI_PASSWORD: 'right' }
const show = (row: object, times?: number): ExpectedStatement => ({
  statement: 'SHOW ALL SLAVES STATUS',
  answer: [row as never],
  ...(times === undefined ? {} : { times }),
})

/** A real server of the replicator's API, over a database that answers as told, and tapi that calls it. */
async function replicatorWith(...expected: readonly ExpectedStatement[]) {
  const fake = fakeDatabase({ expect: expected })
  const limits = { connect: 1000, query: 1000, change: 1000 }
  const replication = createReplication({ type: 'mariadb', dial: fake.dial, limits, place: 'fake:3306' })
  let clock = 0
  const wait = async (milliseconds: number) => {
    clock += milliseconds
  }
  const timing = { effect: 6000, settle: 1000, poll: 100, now: () => clock, wait }
  const api = replicatorApi(
    createReplicator({
      ...{ replication, database, timing, now: () => new Date(0) },
      marks: openOfflineMarks(undefined, { error: () => undefined }),
    }),
  )
  const settings = settingsIn(temporaryFolder(), { component: 'replicator' })
  const server = await start(settings, undefined, { api })
  const ca = await place.file('ca.pem', certificate.chain)
  const where = ['--host', '127.0.0.1', '--port', String(portOf(server)), '--ca', ca]
  const options = { env: login }
  const created = ['--component', 'replicator', 'create-admin-user', '--user', 'admin', '--yes']
  expect((await place.run([...where, ...created], options)).code).toBe(0)
  return {
    fake,
    at: `127.0.0.1 replicator at https://127.0.0.1:${portOf(server)}`,
    tapi: async (argv: readonly string[], more: RunOptions = {}) => {
      const { code, stdout, stderr } = await place.run([...where, ...argv], { ...options, ...more })
      return { code, stdout, stderr }
    },
  }
}

describe('tapi replicator', () => {
  it('shows the state of all services, of one service, and unchanged with --json', async () => {
    const { tapi } = await replicatorWith(show(mariadbReplica))
    const table = `service  role     state   seqno  lag  primary
alpha    replica  ONLINE  35     3 s  mysql://10.0.0.11:3306
`
    expect(await tapi(['replicator', 'status'])).toEqual({ code: 0, stdout: table, stderr: '' })
    expect(await tapi(['replicator', 'status', 'alpha'])).toEqual({ code: 0, stdout: table, stderr: '' })
    const json = await tapi(['replicator', 'status', '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({ payload: { alpha: { state: 'ONLINE' } } })
    expect(await tapi(['replicator', 'status', 'a/../b c'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\[404 not-found\]/),
    })
  })

  it('changes the state with --i-am-sure, and reports whether it changed', async () => {
    const { tapi, fake } = await replicatorWith(
      show(mariadbReplica, 1),
      { statement: "STOP SLAVE ''", times: 1 },
      show(mariadbOffline),
    )
    expect(await tapi(['replicator', 'offline', 'alpha', '--i-am-sure'])).toEqual({
      code: 0,
      stdout: `service  role     state           seqno  lag  primary                 changed
alpha    replica  OFFLINE:NORMAL  35     -    mysql://10.0.0.11:3306  yes
alpha: taken offline by admin at 1970-01-01T00:00:00.000Z
`,
      stderr: '',
    })
    expect((await tapi(['replicator', 'offline', '--yes'])).stdout).toMatch(/OFFLINE:NORMAL .* no$/m)
    expect(fake.unmet()).toEqual([])
  })

  it('asks on a terminal, and changes nothing after the answer no', async () => {
    const { tapi, fake, at } = await replicatorWith(
      show(mariadbOffline, 1),
      { statement: "START SLAVE ''", times: 1 },
      show(mariadbReplica),
    )
    expect(await tapi(['replicator', 'online'], { typed: ['no\n'] })).toEqual({
      code: 1,
      stdout: '',
      stderr: `Start the replication of ${at}? [yes/no] Nothing was changed.\n`,
    })
    expect(fake.statements).toEqual([])
    const agreed = await tapi(['replicator', 'online', 'alpha'], { typed: ['yes\n'] })
    expect([agreed.code, agreed.stderr]).toEqual([
      0,
      `Start the replication service alpha of ${at}? [yes/no] `,
    ])
    expect(agreed.stdout).toMatch(/ONLINE .* yes$/m)
  })

  it('names the risk before a reset', async () => {
    const { tapi, fake } = await replicatorWith()
    const { stderr } = await tapi(['replicator', 'reset'], { typed: ['\n'] })
    expect(stderr).toMatch(
      /Reset the replication position of .*\? With GTIDs .* oldest binary log\. \[yes\/no\]/,
    )
    expect(fake.statements).toEqual([])
  })

  it.each(['online', 'offline', 'reset'])('needs confirmation for %s without a terminal', async (change) => {
    const { tapi, fake, at } = await replicatorWith()
    expect(await tapi(['replicator', change])).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: replicator ${change} changes ${at}, and there is no terminal to ask.\n  fix: Confirm it with --i-am-sure.\n`,
    })
    expect(fake.statements).toEqual([])
  })

  it('shows the problem that the replicator returns', async () => {
    const answer = new DatabaseError({ code: 'timeout', message: 'The database did not answer in time.' })
    const { tapi } = await replicatorWith({ statement: 'SHOW ALL SLAVES STATUS', answer })
    expect(await tapi(['replicator', 'online', '--yes'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: The database did not answer in time \[504 database-timeout\]\n {2}The database did not answer in time\.\n/,
      ),
    })
  })

  it('calls only the replicator', async () => {
    expect(
      await place.run(['--host', 'db1', '--component', 'manager', 'replicator', 'status']),
    ).toMatchObject({
      code: 3,
      stderr: 'error: This command calls the replicator, not the manager.\n  fix: Remove --component.\n',
    })
    await place.record('alpha', [
      { name: 'db1', address: '127.0.0.1', apis: [{ component: 'manager', address: '0.0.0.0', port: 1 }] },
    ])
    const { code, stderr } = await place.run(['--host', 'db1', 'replicator', 'status'], { env: login })
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^error: db1 of cluster alpha has no replicator API\./),
    ])
  })
})

const alpha = {
  role: 'replica',
  state: 'ONLINE',
  appliedLastSeqno: 35,
  appliedLatency: 0,
  masterConnectUri: 'mysql://10.0.0.11:3306',
  pendingError: null,
  pendingErrorCode: null,
  pendingExceptionMessage: null,
}
const west = {
  ...alpha,
  state: 'OFFLINE:ERROR',
  appliedLastSeqno: null,
  appliedLatency: null,
  pendingError: 'The applier stopped with an error.',
  pendingErrorCode: 1062,
  pendingExceptionMessage: 'Duplicate entry \u001b[31m',
}
const body = (payload: unknown) => ({ payloadType: 'ReplicatorStatusPayload', payloadVersion: '1', payload })

describe('tapi replicator status', () => {
  it('shows a table, and the errors below it', () => {
    expect(renderServices(body({ alpha, 'west-2': west }))).toBe(
      `service  role     state          seqno  lag  primary
alpha    replica  ONLINE         35     0 s  mysql://10.0.0.11:3306
west-2   replica  OFFLINE:ERROR  -      -    mysql://10.0.0.11:3306
west-2: The applier stopped with an error.
  ERROR 1062: Duplicate entry \\x1b[31m
`,
    )
  })

  it('shows what a call changed', () => {
    const payload = { alpha: { ...alpha, changed: true }, beta: { ...alpha, changed: false } }
    expect(renderServices(body(payload))).toBe(
      `service  role     state   seqno  lag  primary                 changed
alpha    replica  ONLINE  35     0 s  mysql://10.0.0.11:3306  yes
beta     replica  ONLINE  35     0 s  mysql://10.0.0.11:3306  no
`,
    )
  })

  it('reports that there are no services', () => {
    expect(renderServices(body({}))).toBe('no replication services\n')
  })

  it('shows any other response unchanged', () => {
    expect(renderServices('words')).toBe('words\n')
    expect(renderServices(body([1]))).toBe('[\n  1\n]\n')
  })
})
