import { expect, it } from 'vitest'
import { writeClusterRecord } from '../../src/client/registry.ts'
import { portOf } from '../support/https.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { certificate, settingsIn, start } from '../support/testServer.ts'
import { workplace } from './support.ts'

type Printed = {
  readonly info: { readonly name: string }
  readonly variable: readonly { readonly key: string; readonly value: string }[]
  readonly item: readonly { readonly name: string; readonly item: readonly { readonly name: string }[] }[]
}

it('tapi postman prints the calls of all components of a host, and skips those that do not respond', async () => {
  const place = await workplace()
  const connector = portOf(await start(settingsIn(temporaryFolder(), { component: 'connector' })))
  const apis = [
    { component: 'manager', address: '0.0.0.0', port: 1 },
    { component: 'connector', address: '0.0.0.0', port: connector },
  ] as const
  await writeClusterRecord({
    dir: place.dir,
    cluster: {
      version: 1,
      cluster: 'alpha',
      directory: place.home,
      authorities: [certificate.chain],
      hosts: [{ name: 'db1', address: '127.0.0.1', apis }],
    },
  })
  const { code, stdout, stderr } = await place.run(['--host', 'db1', '--user', 'bob', 'postman'])
  await place.remove()
  expect(code).toBe(4)
  expect(stderr).toMatch(/^db1 manager at https:\S+ is skipped\nerror: The connection to .* was refused/)
  const printed: Printed = JSON.parse(stdout)
  expect(printed.info.name).toBe('APIv2 of db1')
  expect(printed.variable).toContainEqual({ key: 'host', value: '127.0.0.1', type: 'string' })
  expect(printed.variable).toContainEqual({ key: 'connectorPort', value: String(connector), type: 'string' })
  expect(printed.variable).toContainEqual({ key: 'user', value: 'bob', type: 'string' })
  expect(printed.item.map(({ name }) => name)).toEqual(['connector: read', 'connector: change'])
  expect(printed.item[0]?.item.map(({ name }) => name)).toContain('GET status')
})
