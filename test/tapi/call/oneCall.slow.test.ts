import { describe, expect, it } from 'vitest'
import type { Component } from '../../../src/contracts/component.ts'
import { fakeHost } from '../fakeHost.ts'
import { map } from '../payloads.ts'

/** Question of each command that changes something by one call; X is the component of db1. */
const questions: readonly (readonly [component: Component, argv: string, question: string])[] = [
  ['manager', 'service online', 'Bring every offline data source of the service online on X?'],
  ['manager', 'service online a', 'Bring every offline data source of a online on X?'],
  [
    'manager',
    'service offline a',
    'Take every data source of a offline on X? Applications then cannot reach the database through the connector. ' +
      'Under AUTOMATIC they come back online by themselves.',
  ],
  ['manager', 'datasource online b', 'Bring b online on X?'],
  [
    'manager',
    'datasource offline b',
    'Take b offline on X? The connector then sends it no connections. Under AUTOMATIC it comes back online by ' +
      'itself; shun keeps it out.',
  ],
  [
    'manager',
    'datasource shun b',
    'Shun b on X? The connector sends it no connections until it is welcomed back.',
  ],
  ['manager', 'datasource welcome b', 'Bring b back online on X?'],
  [
    'manager',
    'datasource recover b',
    'Recover b to OFFLINE on X? Under AUTOMATIC it then comes online by itself.',
  ],
  ['connector', 'connector online', 'Let X accept and forward connections?'],
  [
    'connector',
    'connector onhold',
    'Let X hold new connections? Applications wait; those over the time or number limit get an error. Existing ' +
      'connections continue.',
  ],
  [
    'connector',
    'connector offline',
    'Take X offline? New connections are refused at once; existing ones get time to finish, then are closed.',
  ],
  [
    'connector',
    'connector offline --immediate',
    'Take X offline? New connections are refused at once; existing ones are closed at once.',
  ],
  ['replicator', 'replicator online', 'Start the replication of X?'],
  ['replicator', 'replicator offline a', 'Stop the replication service a of X?'],
  [
    'replicator',
    'replicator reset',
    'Reset the replication position of the replication of X? With GTIDs the database keeps its position; without, it ' +
      "starts over at the primary's oldest binary log.",
  ],
  ['manager', 'map set FILE', 'Replace the whole services map of X?'],
  ['manager', 'map add-service a', 'Add the service a to the services map of X?'],
  [
    'connector',
    'map add-datasource b=replica@h',
    'Add the data source b (replica at h port 3306) to the services map of X?',
  ],
  [
    'connector',
    'map reset',
    'Reset the services map of X to the installed one? Changes made by calls are discarded.',
  ],
  ['manager', 'unlock bob', 'Unlock bob on X?'],
  ['manager', 'delete-user bob', 'Delete the user bob of X?'],
]

describe('a command of one call', () => {
  it.each(questions)('of the %s: %s asks: %s', async (kind, argv, question) => {
    const { tapi, apis, file } = await fakeHost(kind)
    const words = argv.replace('FILE', await file('map.json', JSON.stringify(map))).split(' ')
    const { code, stderr } = await tapi(['--component', kind, ...words], { typed: ['no\n'] })
    expect({ code, sent: apis[kind].sent }).toEqual({ code: 1, sent: [] })
    const place = new RegExp(`db1 ${kind} at https://[^ ?]+`)
    expect(stderr.replace(place, 'X')).toBe(`${question} [yes/no] Nothing was changed.\n`)
  })

  it('rejects what it was given before it asks or logs in', async () => {
    const { tapi, apis } = await fakeHost('manager')
    for (const argv of ['unlock a:b', 'map add-datasource bad', 'map add-service a --datasource bad']) {
      const { code, stderr } = await tapi(argv.split(' '), { typed: ['yes\n'] })
      expect([code, stderr], argv).toEqual([3, expect.stringMatching(/^error: (?!.*yes\/no)/s)])
    }
    expect(apis.manager.sent).toEqual([])
  })

  it('that reads ends with the exit code that its answer has', async () => {
    const { tapi, apis } = await fakeHost('manager')
    for (const value of [true, false]) {
      apis.manager.answers.set('managerPing', { payload: { value } })
      const { code, stdout } = await tapi(['datasource', 'ping', 'b', '--service', 'a'])
      expect([code, stdout]).toEqual(value ? [0, 'b answers\n'] : [1, 'b does not answer\n'])
    }
  })
})
