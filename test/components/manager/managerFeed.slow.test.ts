import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { managerApi } from '../../../src/components/manager/manager.ts'
import { createManagerFeed } from '../../../src/components/manager/managerFeed.ts'
import { managerRoutes } from '../../../src/contracts/managerRoutes.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { settingsIn, start } from '../../support/testServer.ts'
import { managed } from './managedService.ts'

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

it('5,000 changes a second reach a caller that reads, close one that does not, and never make the manager wait', async () => {
  const service = managed()
  await service.agree()
  const member = { service: 'alpha', datasource: 'db1', witness: false }
  const identity = { cluster: 'one', host: 'host1', member, parentPid: () => 1 }
  const served = { manager: service.manager(), identity, askConnector: undefined }
  const feed = createManagerFeed(served, { log: silent })
  onTestFinished(() => feed.close())
  const settings = settingsIn(temporaryFolder(), { listen: null })
  await start(settings, pino({ level: 'silent' }), { api: managerApi(served, feed) })

  const ask = `GET ${managerRoutes.managerEvents.path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
  const reader = connect(settings.socket)
  onTestFinished(() => void reader.destroy())
  let read = ''
  reader.on('data', (chunk: Buffer) => {
    read += chunk.toString()
  })
  reader.write(ask)
  const deaf = connect(settings.socket).pause()
  onTestFinished(() => void deaf.destroy())
  deaf.on('error', () => undefined)
  deaf.write(ask)
  // time: in which the one that does not read most likely follows, too; if it comes later, it gets less.
  await wait(200)

  const changes = 10_000
  let busy = 0
  const begun = performance.now()
  for (let made = 0; made < changes; ) {
    const before = performance.now()
    for (const end = made + 50; made < end; made += 1) {
      service.manager().setPolicy('alpha', made % 2 === 0 ? 'MANUAL' : 'AUTOMATIC')
    }
    // time: a change takes less than 0.1 ms, and may take 10; the rest of a second's share is waited for.
    busy += performance.now() - before
    // time: the pace of the changes, not what is expected of them.
    await wait(Math.max(0, begun + made / 5 - performance.now()))
  }
  await eventually(() => expect(read.match(/"kind":"service"/g)).toHaveLength(changes))
  // Each change is two events: the policy of the service, and of its manager.
  const numbers = [...read.matchAll(/^id: [0-9a-f]+-(\d+)$/gm)].map(([, number]) => Number(number))
  expect(numbers).toEqual(Array.from({ length: 2 * changes + 1 }, (_, index) => (numbers[0] ?? 0) + index))
  // All that the caller that did not read ever got: what waited for it, and what the system keeps.
  let bytes = 0
  deaf.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  const closed = new Promise((resolve) => deaf.once('close', resolve))
  deaf.resume()
  await closed
  expect(bytes).toBeLessThan(1024 * 1024)
  // A manager that waited for the one that does not read would never get here; each change stays a small one.
  expect(busy / changes).toBeLessThan(10)
})
