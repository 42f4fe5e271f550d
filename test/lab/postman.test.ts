import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newman, runCollection } from '../ci/support/newman.ts'
import { type DatabaseCluster, startDatabaseCluster } from './scenario/databaseCluster.ts'
import { replicates } from './scenario/databases.ts'
import { hostOf, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

const committed = 'docs/muster.postman_collection.json'
const hasNewman = existsSync(newman)
const needs = `${labHere.needs}${hasNewman ? '' : ' (needs newman, which npm run test:ci installs)'}`

/** Three members, and app1 with a connector alone; each test leaves the cluster as it found it. */
describe.skipIf(labHere.missing || !hasNewman)(
  `the Postman collection on an installed cluster${needs}`,
  () => {
    let cluster: DatabaseCluster

    const host = (name: string): LabHost => hostOf(cluster.lab, name)
    const run = (collection: string, of: LabHost) =>
      runCollection({
        collection,
        folder: cluster.operator.directory,
        authority: join(cluster.operator.directory, '.muster', 'alpha', 'authority.crt'),
        variables: {
          ...{ host: of.address, password: cluster.secrets.admin.password },
          newPassword: 'the password of a new user',
        },
      })
    const routed = (of: LabHost) => cluster.apis().get(of, 'connector', 'configuration/module/servicesmap')

    beforeAll(async () => {
      cluster = await startDatabaseCluster({ members: ['db1', 'db2', 'db3'], connectors: ['app1'] })
      const install = await cluster.operator.muster(['install', '--yes', 'alpha.yaml'])
      expect(install, `${install.stdout}${install.stderr}`).toMatchObject({ code: 0 })
      await cluster.allOnline()
    })
    afterAll(() => cluster?.lab.stop())

    it.each(['db1', 'db2'])('passes as a whole on %s, twice, and everything is as before', async (name) => {
      const before = await routed(host(name))
      for (let time = 0; time < 2; time += 1) {
        const { code, failures, requests } = await run(committed, host(name))
        expect(failures).toEqual([])
        expect(code).toBe(0)
        expect(requests.length).toBeGreaterThan(70)
      }
      if (name !== 'db1') await replicates(host(name))
      await cluster.allOnline()
      expect(await routed(host(name))).toEqual(before)
      for (const it of ['db1', 'db2', 'db3', 'app1'])
        expect(await cluster.serverOf(cluster.through(host(it)))).toBe(1)
    })

    it('passes as tapi prints it for a host with a connector alone, whose map calls are passed on', async () => {
      const before = await routed(host('app1'))
      const printed = await cluster.operator.tapi(['--host', 'app1', 'postman'])
      expect(printed, printed.stderr).toMatchObject({ code: 0 })
      const { code, failures } = await run(cluster.operator.write('app1.json', printed.stdout), host('app1'))
      expect(failures).toEqual([])
      expect(code).toBe(0)
      expect(await routed(host('app1'))).toEqual(before)
    })
  },
)
