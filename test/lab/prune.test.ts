import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClusterTopologyPayload } from '../../src/contracts/managerPayloads.ts'
import { askOnce, connectClient } from './scenario/client.ts'
import { type DatabaseCluster, startDatabaseCluster } from './scenario/databaseCluster.ts'
import { sql } from './scenario/databases.ts'
import { installationState, remains } from './scenario/hostState.ts'
import { eventually } from './support/eventually.ts'
import { hostOf, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

const names = ['db1', 'db2', 'db3']

describe.skipIf(labHere.missing)(`a host that left the file${labHere.needs}`, () => {
  let cluster: DatabaseCluster
  let whole: string
  const host = (name: string): LabHost => hostOf(cluster.lab, name)
  const states = (): Promise<readonly string[]> =>
    Promise.all(names.map((name) => installationState(host(name))))
  const muster = (...words: readonly string[]) => cluster.operator.muster([...words, 'alpha.yaml'])

  /** Writes the file without a host; db2 becomes the master where it is db1. */
  const without = (gone: string): void => {
    const left = names.filter((name) => name !== gone)
    const text = whole
      .replaceAll(/(members|connectors): \[[^\]]*\]/g, (_, key: string) => `${key}: [${left.join(', ')}]`)
      .replace(/master: \S+/, `master: ${left[0]}`)
      .replace(new RegExp(`^  ${gone}:\\n(?: {4}.*\\n)*`, 'm'), '')
    cluster.operator.write('alpha.yaml', text)
  }
  /** Status of a manager's call for other hosts, with the certificate that db3 had when it was copied. */
  const routing = async (): Promise<string> => {
    const url = `https://${host('db1').address}:8091/muster/routing`
    const curl = `curl -sk -m 3 -o /dev/null -w '%{http_code}' --cert /root/chain.pem --key /root/key.pem ${url}`
    return (await host('db3').run(curl)).stdout
  }

  beforeAll(async () => {
    cluster = await startDatabaseCluster({ members: names, defaults: ['connector-drain-timeout: 60s'] })
    whole = readFileSync(join(cluster.operator.directory, 'alpha.yaml'), 'utf8')
    const install = await muster('install', '--yes')
    expect(install, `${install.stdout}${install.stderr}`).toMatchObject({ code: 0 })
    await cluster.allOnline()
  })
  afterAll(() => cluster?.lab.stop())

  it('is not taken out while it is the primary, and nothing is changed anywhere', async () => {
    without('db1')
    const before = await states()
    for (const words of [['plan'], ['install', '--yes']]) {
      const refused = await muster(...words, '--prune')
      expect(refused, refused.stdout).toMatchObject({ code: 1 })
      expect(`${refused.stdout}${refused.stderr}`).toContain(
        'db1: left the file, but it is the primary of alpha [primary-left]',
      )
    }
    expect(await states()).toEqual(before)
    expect(await cluster.serverOf(cluster.through(host('db3')))).toBe(1)
  })

  it('is shown by plan with what is taken out, and nothing is changed', async () => {
    without('db3')
    const before = await states()
    const plan = await muster('plan', '--prune')
    expect(plan, plan.stderr).toMatchObject({ code: 2 })
    expect(plan.stdout).toContain('take out db3')
    expect(plan.stdout).toContain('stop and remove manager, connector, replicator')
    expect(await states()).toEqual(before)
  })

  it('is drained, uninstalled and forgotten, and its certificate opens nothing any more', async () => {
    await host('db3').run('cp /opt/muster/share/tls/key.pem /opt/muster/share/tls/chain.pem /root/')
    expect(await routing()).toBe('200')
    const client = await connectClient(cluster.through(host('db3')))
    await client.ask('START TRANSACTION')
    await client.ask("INSERT INTO orders VALUES (7, 'drained')")
    const pruning = muster('install', '--yes', '--prune')
    await eventually(
      'db3 to refuse new clients',
      () =>
        askOnce(cluster.through(host('db3')), 'SELECT 1').then(
          () => false,
          () => true,
        ),
      { timeout: 150_000, every: 200 },
    )
    await client.ask('COMMIT')
    await client.end()
    const pruned = await pruning
    expect(pruned, `${pruned.stdout}${pruned.stderr}`).toMatchObject({ code: 0 })
    expect(await sql(host('db1'), "SELECT COUNT(*) FROM shop.orders WHERE note = 'drained'")).toBe('1')
    expect(await remains(host('db3'))).toBe('')
    for (const name of ['db1', 'db2']) {
      const topology = await cluster
        .apis()
        .get<ClusterTopologyPayload>(host(name), 'manager', 'cluster/topology')
      expect(topology.services?.[0]?.datasources?.map((one) => one.name)).toEqual(['db1', 'db2'])
    }
    expect(await routing()).toBe('401')
    const again = await muster('install', '--yes', '--prune')
    expect(again).toMatchObject({ code: 0 })
    expect(again.stderr).not.toContain('left the file')
  })
})
