import { once } from 'node:events'
import { chownSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { gtidText } from '../../../src/components/databases/gtidSet.ts'
import { crashOwnServer, readKept } from '../../../src/components/manager/crashServer.ts'
import { openLastRuns } from '../../../src/components/manager/lastRuns.ts'
import { createStateFile } from '../../../src/components/stateFile.ts'
import { hasMariadb, type Mariadb, mariadbLab } from '../../support/mariadb.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

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
  })
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

describe.skipIf(process.getuid?.() !== 0)('what root keeps of a server that it kills', () => {
  const kept = '81d42a08-ecc3-11f1-b4f9-de3aeca611d2:1-7'
  /** The folder of a manager, who has no other rights, and whose record says that. */
  function recorded(more: { readonly kept?: string }) {
    const folder = temporaryFolder()
    const path = join(folder, 'manager.runs.json')
    const source = { service: 'alpha', name: 'db1', host: '127.0.0.1', port: 3306, role: 'primary' } as const
    const run = { startedAt: 1, wasWriter: true, wasSemiSyncSource: true, ...more }
    openLastRuns(createStateFile(path)).note(source, run)
    for (const it of [folder, path]) chownSync(it, 65_534, 65_534)
    return { path, read: () => readKept({ ...settings(3306), stateFile: join(folder, 'manager.json') }) }
  }

  it('is what its manager recorded that others have', async () => {
    expect(gtidText(await recorded({ kept }).read())).toBe(kept)
    expect(gtidText(await recorded({}).read())).toBe('')
  })

  it('is not known where the manager recorded nothing, or something else', async () => {
    const told = 'the manager did not record what other servers have of it'
    await expect(recorded({ kept: 'all' }).read()).rejects.toThrow(told)
    const { path, read } = recorded({ kept })
    writeFileSync(path, 'x')
    await expect(read()).rejects.toThrow(told)
    unlinkSync(path)
    await expect(read()).rejects.toThrow('No such file or directory')
  })

  it('is no way for the manager to the files of others', async () => {
    const { path, read } = recorded({ kept })
    const other = join(temporaryFolder(), 'of-root')
    writeFileSync(other, 'a secret', { mode: 0o600 })
    unlinkSync(path)
    symlinkSync(other, path)
    await expect(read()).rejects.toThrow('Permission denied')
  })
})
