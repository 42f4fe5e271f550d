import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
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

let host: ApiHost
beforeAll(async () => {
  host = await startApiHost()
})
afterAll(() => host?.stop())

/** Runs folders of the committed collection in their order; what is secret comes in a file, never as an argument. */
async function run(
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

it('reads everything of every component', async () => {
  const folders = components.map((component) => `${component}: read`)
  const { code, failures, requests, assertions } = await run(folders)
  expect(failures).toEqual([])
  expect([code, assertions.failed, requests.length]).toEqual([0, 0, requestsOf(...folders)])
  expect(assertions.total).toBeGreaterThan(3 * requests.length)
})

it.each(components)('makes every change of the %s, and brings it back', async (component) => {
  const folders = [`${component}: read`, `${component}: change`]
  const { code, failures, requests, assertions } = await run(folders)
  expect(failures).toEqual([])
  expect([code, assertions.failed, requests.length]).toEqual([0, 0, requestsOf(...folders)])
  // As it was: everything can be done once more.
  expect((await run(folders)).failures).toEqual([])
})

it('fails where the password is wrong', async () => {
  const { code, failures, assertions } = await run(['connector: read'], { password: 'wrong' })
  expect(code).toBe(1)
  expect(failures).toContain('GET users: expected response to have status code 200 but got 401')
  expect(assertions.failed).toBeGreaterThan(10)
})

it('fails where the authority is not trusted', async () => {
  const { code, failures } = await run(['manager: read'], { trust: false })
  expect(code).toBe(1)
  expect(failures.join('\n')).toContain('self-signed certificate')
})
