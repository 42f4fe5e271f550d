import { connect, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasMariadb } from '../support/mariadb.ts'
import { createMonitor, type MariadbPair, makeAgree, mariadbPair } from '../support/mariadbPair.ts'
import { login } from './support/clusterFile.ts'
import { createWorld, type Host, type World } from './support/world.ts'

const password = 'x8Jw-Rt2q_Lm0'

/** Lets a database of loopback be reached at the address of a host, too. */
const passOn = (address: string, port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((near) => {
      const far = connect({ host: '127.0.0.1', port })
      far.on('error', () => near.destroy())
      near.on('error', () => far.destroy())
      near.pipe(far).pipe(near)
    })
    server.on('error', reject)
    server.listen(port, address, () => resolve(server))
  })

/** Two hosts with a primary and its replica. Each test goes on where the last ended. */
describe.skipIf(!hasMariadb)('a file whose master is a replica (needs MariaDB)', () => {
  let world: World
  let pair: MariadbPair
  let relays: readonly Server[]

  const hostText = ({ name, address, directory, ports, clusterPort, ssh }: Host, database: number): string =>
    `  ${name}:
    address: ${address}
    ssh: ${JSON.stringify(ssh)}
    options:
      install-directory: ${directory}
      manager-rest-api-port: ${ports.manager}
      replicator-rest-api-port: ${ports.replicator}
      cluster-port: ${clusterPort}
      replication-port: ${database}
`
  const write = (master: string): string =>
    world.operator.write(
      'alpha.yaml',
      `cluster: alpha
defaults:
  rest-api-admin-user: admin
  service-manager: process
  user: ${login}
  datasource-type: mariadb
  monitor-user: watch
  monitor-password: !env MONITOR_PASSWORD
services:
  alpha: { topology: clustered, master: ${master}, members: [db1, db2] }
hosts:
${world.hosts.map((host, at) => hostText(host, [pair.primary, pair.replica][at]?.port ?? 0)).join('')}`,
    )

  beforeAll(async () => {
    ;[world, pair] = await Promise.all([
      createWorld(2),
      mariadbPair((server) => createMonitor(server, password)),
    ])
    await makeAgree(pair)
    await pair.replica.sql('SET GLOBAL read_only = 1', 'START SLAVE')
    relays = await Promise.all(
      world.hosts.map(({ address }, at) => passOn(address, [pair.primary, pair.replica][at]?.port ?? 0)),
    )
    world.operator.env.MONITOR_PASSWORD = password
    write('db1')
    const installed = await world.muster('install')
    expect(installed, `${installed.stdout}${installed.stderr}`).toMatchObject({ code: 0 })
  })
  afterAll(async () => {
    for (const relay of relays ?? []) relay.close()
    await world?.close()
    await pair?.end()
  })

  const wrong =
    /alpha\.yaml:10 names db2 as the master of alpha, but its database follows \S+, and db1 takes the writes/
  const unwrapped = (text: string): string => text.replaceAll(/\s+/g, ' ')

  it('is right while the master is the primary', async () => {
    const { code, stdout } = await world.muster('check', ['--json'])
    expect({ code, masters: stdout.match(/its database follows no other/g) }).toEqual({
      code: 0,
      masters: ['its database follows no other'],
    })
    expect(await world.muster('plan')).toMatchObject({ code: 0 })
  })

  it('is what check refuses, drift finds and plan notes, with the line of the file', async () => {
    write('db2')
    const { code, stdout } = await world.muster('check', ['--json'])
    expect({ code, wrong: wrong.test(stdout) }).toEqual({ code: 1, wrong: true })
    const plan = await world.muster('plan')
    expect(plan.code).toBe(2)
    expect(unwrapped(plan.stdout)).toMatch(wrong)
    expect(unwrapped(plan.stdout)).toContain(
      'Write master: db1 there, or make db2 the primary: muster switch --to db2.',
    )
    const drift = await world.muster('drift')
    expect(drift.code).toBe(2)
    expect(unwrapped(drift.stdout)).toMatch(wrong)
  })

  it('is what install notes before it asks', async () => {
    const { stdout } = await world.muster('install')
    expect(unwrapped(stdout)).toMatch(wrong)
    // The file may only be older than a switch now.
    const { code, stdout: checks } = await world.muster('check', ['--json'])
    expect({ code, wrong: wrong.test(checks) }).toEqual({ code: 0, wrong: true })
  })
})
