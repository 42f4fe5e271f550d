import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { components } from '../../src/contracts/component.ts'
import { type ApiHost, startApiHost } from './support/apiHost.ts'
import { toolsFolder } from './support/tools.ts'

const newman = join(toolsFolder, 'node_modules/.bin/newman')
const file = 'docs/muster.postman_collection.json'

/** As much of newman's report as is read here. */
type Report = {
  readonly run: {
    readonly stats: Readonly<
      Record<'requests' | 'assertions', { readonly total: number; readonly failed: number }>
    >
    readonly failures: readonly {
      readonly source: { readonly name: string }
      readonly error: { readonly message: string }
    }[]
    readonly executions: readonly { readonly item: { readonly name: string } }[]
  }
}

type Folder = { readonly name: string; readonly item: readonly object[] }

const collection: { readonly item: readonly Folder[] } = JSON.parse(readFileSync(file, 'utf8'))

const kinds = [
  { name: 'a replica whose connector has no manager', host: 'db2', followsManager: false },
  { name: 'a replica as it is installed', host: 'db2', followsManager: true },
  { name: 'a primary as it is installed', host: 'db1', followsManager: true },
] as const

/** Runs folders of the committed collection in their order; what is secret comes in a file, never as an argument. */
async function run(
  host: ApiHost,
  folders: readonly string[],
  more: { readonly password?: string; readonly trust?: boolean } = {},
) {
  const values = {
    host: '127.0.0.1',
    ...Object.fromEntries(components.map((component) => [`${component}Port`, host.ports[component]])),
    password: more.password ?? host.password,
    service: 'alpha',
    datasource: 'db2',
    newPassword: 'the password of a new user',
    newDatasourceHost: '127.0.0.1',
  }
  const environment = join(host.folder, 'environment.json')
  const list = Object.entries(values).map(([key, value]) => ({ key, value: String(value), enabled: true }))
  writeFileSync(environment, JSON.stringify({ name: 'test', values: list }), { mode: 0o600 })
  const report = join(host.folder, 'report.json')
  const trusted = more.trust === false ? [] : ['--ssl-extra-ca-certs', host.authority]
  const argv = [
    ...['run', file, '--environment', environment, ...trusted],
    ...folders.flatMap((name) => ['--folder', name]),
    ...['--reporters', 'json', '--reporter-json-export', report],
  ]
  const child = spawn(newman, argv, { stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = await once(child, 'exit')
  const { stats, failures, executions }: Report['run'] = JSON.parse(readFileSync(report, 'utf8')).run
  return {
    code,
    requests: executions.map(({ item }) => item.name),
    assertions: stats.assertions,
    failures: failures.map(({ source, error }) => `${source.name}: ${error.message}`),
  }
}

const requestsOf = (...names: readonly string[]): number =>
  collection.item.filter(({ name }) => names.includes(name)).flatMap(({ item }) => item).length

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
