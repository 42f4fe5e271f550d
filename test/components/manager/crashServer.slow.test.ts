import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { crashOwnServer } from '../../../src/components/manager/crashServer.ts'
import { hasMariadb, type Mariadb, mariadbLab } from '../../support/mariadb.ts'

const member = { service: 'alpha', datasource: 'db1', witness: false }

/** Settings of a manager whose host has a server at that port. */
const settings = (port: number) => ({
  member,
  services: {
    services: [
      {
        name: 'alpha',
        datasources: [
          { name: 'db1', host: '127.0.0.1', port, role: 'primary' as const },
          { name: 'db2', host: '127.0.0.2', port: 3306, role: 'replica' as const },
        ],
      },
    ],
  },
})

// The kill itself needs a server that systemd runs: test/lab/failover.test.ts.
describe.skipIf(!hasMariadb)('crashOwnServer kills nothing', () => {
  let lab: Awaited<ReturnType<typeof mariadbLab>>
  let server: Mariadb
  beforeAll(async () => {
    lab = await mariadbLab()
    server = await lab.server()
  }, 90_000)
  afterAll(() => lab?.end())

  it('that is no service of systemd, and names it', async () => {
    await expect(crashOwnServer(settings(server.port))).rejects.toThrow(
      new RegExp(
        `^the server at port ${server.port} \\(process \\d+\\) is no service of systemd: kill it, and start it$`,
      ),
    )
    expect(await server.sql('SELECT 1 AS it')).toEqual([{ it: 1 }])
  })

  it('where no database listens at the port, whatever else does', async () => {
    const stranger = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void stranger.close())
    await once(stranger, 'listening')
    const { port } = stranger.address() as AddressInfo
    await expect(crashOwnServer(settings(port))).rejects.toThrow(
      `no MariaDB or MySQL listens at port ${port} of this host`,
    )
  })

  it('where the settings name no database of this host', async () => {
    const nothing = 'the settings name no database of this host'
    await expect(crashOwnServer({})).rejects.toThrow(nothing)
    const witness = { ...settings(server.port), member: { ...member, datasource: null, witness: true } }
    await expect(crashOwnServer(witness)).rejects.toThrow(nothing)
  })
})
