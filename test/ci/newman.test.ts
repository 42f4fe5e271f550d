import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { components } from '../../src/contracts/component.ts'
import { type ApiHost, startApiHost } from './support/apiHost.ts'
import { runCollection } from './support/newman.ts'

const file = 'docs/muster.postman_collection.json'

type Folder = { readonly name: string; readonly item: readonly object[] }

const collection: { readonly item: readonly Folder[] } = JSON.parse(readFileSync(file, 'utf8'))

const kinds = [
  { name: 'a replica whose connector has no manager', host: 'db2', followsManager: false },
  { name: 'a replica as it is installed', host: 'db2', followsManager: true },
  { name: 'a primary as it is installed', host: 'db1', followsManager: true },
] as const

/** Runs folders of the committed collection in their order. */
const run = (
  host: ApiHost,
  folders: readonly string[],
  more: { readonly password?: string; readonly trust?: boolean } = {},
) =>
  runCollection({
    ...{ collection: file, folder: host.folder, folders },
    ...(more.trust === false ? {} : { authority: host.authority }),
    variables: {
      host: '127.0.0.1',
      ...Object.fromEntries(components.map((component) => [`${component}Port`, host.ports[component]])),
      password: more.password ?? host.password,
      service: 'alpha',
      datasource: 'db2',
      newPassword: 'the password of a new user',
      newDatasourceHost: '127.0.0.1',
    },
  })

/** Returns how many requests folders make: those of a switch only where a new primary is named, as in the lab. */
const requestsOf = (...names: readonly string[]): number =>
  collection.item
    .filter(({ name }) => names.includes(name))
    .flatMap(({ item }) => item)
    .filter((item) => !JSON.stringify(item).includes('pm.execution.skipRequest()')).length

describe.each(kinds)('The Postman collection on $name', (kind) => {
  let host: ApiHost
  beforeAll(async () => {
    host = await startApiHost(kind)
  })
  afterAll(() => host?.stop())

  it('passes as a whole, and once more', async () => {
    const { code, failures, requests, assertions } = await run(host, [])
    expect(failures).toEqual([])
    const all = collection.item.map(({ name }) => name)
    expect([code, assertions.failed, requests.length]).toEqual([0, 0, requestsOf(...all)])
    expect(assertions.total).toBeGreaterThan(3 * requests.length)
    expect((await run(host, [])).failures).toEqual([])
  })

  it.each(components)('makes every change of the %s alone, and brings it back', async (component) => {
    const folders = [`${component}: read`, `${component}: change`]
    const { code, failures, requests, assertions } = await run(host, folders)
    expect(failures).toEqual([])
    expect([code, assertions.failed, requests.length]).toEqual([0, 0, requestsOf(...folders)])
  })

  it('fails where the password is wrong or the authority is not trusted', async () => {
    const wrong = await run(host, ['connector: read'], { password: 'wrong' })
    expect(wrong.code).toBe(1)
    expect(wrong.failures).toContain('GET users: expected response to have status code 200 but got 401')
    expect(wrong.assertions.failed).toBeGreaterThan(10)
    const untrusted = await run(host, ['manager: read'], { trust: false })
    expect(untrusted.code).toBe(1)
    expect(untrusted.failures.join('\n')).toContain('self-signed certificate')
  })
})
