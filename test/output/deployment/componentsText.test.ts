import { describe, expect, it } from 'vitest'
import type { HostStatus } from '../../../src/deployment/hostStatus.ts'
import { componentsText } from '../../../src/output/deployment/componentsText.ts'
import type { Layout } from '../../../src/output/table.ts'

const textOf = (hosts: readonly HostStatus[], layout: Layout) =>
  `${componentsText(hosts, layout).join('\n')}\n`
const plain = { colour: false, width: Number.POSITIVE_INFINITY }

const hosts: readonly HostStatus[] = [
  {
    host: 'db1',
    address: '10.0.0.11',
    state: 'up',
    release: '0.1.0-abc',
    certificateExpires: '2027-11-20T21:00:00.000Z',
    components: [
      {
        component: 'manager',
        service: 'running',
        listen: { address: '0.0.0.0', port: 8090 },
        api: 'answers',
      },
      {
        component: 'connector',
        service: 'running',
        listen: null,
        api: 'off',
        clients: { service: 'alpha', address: '::', port: 9999, readonlyPort: 9998 },
      },
      {
        component: 'replicator',
        service: 'failed',
        listen: { address: '127.0.0.1', port: 8097 },
        api: 'silent',
        detail: 'nothing listens at 127.0.0.1:8097',
      },
    ],
  },
  { host: 'db20', address: '10.0.0.12', state: 'unreachable', detail: 'db20 did not answer', components: [] },
  { host: 'db3', address: '10.0.0.13', state: 'not-installed', components: [] },
]

describe('componentsText', () => {
  it('has a row for each component and each unreachable host, and the reasons below', () => {
    expect(textOf(hosts, plain)).toBe(
      `HOST  COMPONENT      SERVICE  LISTENS ON      API      CERTIFICATE UNTIL  RELEASE
db1   manager        running  0.0.0.0:8090    answers  2027-11-20         0.1.0-abc
db1   connector      running  socket only     off      2027-11-20         0.1.0-abc
db1   replicator     failed   127.0.0.1:8097  silent   2027-11-20         0.1.0-abc
db20  unreachable
db3   not installed

db1: clients of alpha at [::]:9999, to read at [::]:9998

db1: replicator: nothing listens at 127.0.0.1:8097
db20: did not answer
`,
    )
  })

  it('has a block for each component below its host on a narrow terminal', () => {
    expect(textOf(hosts, { colour: false, width: 60 })).toContain(`db1
  COMPONENT: manager  SERVICE: running
    LISTENS ON: 0.0.0.0:8090  API: answers
    CERTIFICATE UNTIL: 2027-11-20  RELEASE: 0.1.0-abc
  COMPONENT: connector  SERVICE: running
    LISTENS ON: socket only  API: off
    CERTIFICATE UNTIL: 2027-11-20  RELEASE: 0.1.0-abc
  COMPONENT: replicator  SERVICE: failed
    LISTENS ON: 127.0.0.1:8097  API: silent
    CERTIFICATE UNTIL: 2027-11-20  RELEASE: 0.1.0-abc
db20: unreachable
db3: not installed

`)
  })

  it('writes a note about components once for all hosts', () => {
    const [up] = hosts
    const note = 'no database configured: the manager serves users and status only'
    const bare = (host: string): readonly HostStatus[] =>
      up === undefined
        ? []
        : [{ ...up, host, components: up.components.slice(0, 1).map((it) => ({ ...it, note })) }]
    expect(textOf([...bare('db1'), ...bare('db2')], plain)).toBe(
      `HOST  COMPONENT  SERVICE  LISTENS ON    API      CERTIFICATE UNTIL  RELEASE
db1   manager    running  0.0.0.0:8090  answers  2027-11-20         0.1.0-abc
db2   manager    running  0.0.0.0:8090  answers  2027-11-20         0.1.0-abc

note: ${note}
`,
    )
    const [, , clean] = hosts
    const some = [
      ...bare('db1'),
      ...bare('db2'),
      ...(up ? [{ ...up, host: 'db4' }] : []),
      ...(clean ? [clean] : []),
    ]
    expect(textOf(some, plain)).toContain(`\nnote: ${note} (db1, db2)\n`)
  })

  it('ends with the table if there are no notes, and keeps the columns in colour', () => {
    const [, , clean] = hosts
    expect(textOf(clean === undefined ? [] : [clean], plain)).toBe(
      'HOST  COMPONENT      SERVICE  LISTENS ON  API  CERTIFICATE UNTIL  RELEASE\ndb3   not installed\n',
    )
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours themselves.
    expect(textOf(hosts, { ...plain, colour: true }).replaceAll(/\u001b\[\d+m/g, '')).toBe(
      textOf(hosts, plain),
    )
  })

  it('shows that a component is not ready', () => {
    const [up] = hosts
    const unready = up?.components
      .slice(0, 2)
      .map((it) => ({ ...it, ready: false, reason: 'it is stopping' }))
    const one = up === undefined ? [] : [{ ...up, components: unready ?? [] }]
    expect(textOf(one, plain)).toBe(
      `HOST  COMPONENT  SERVICE  LISTENS ON    API        CERTIFICATE UNTIL  RELEASE
db1   manager    running  0.0.0.0:8090  not ready  2027-11-20         0.1.0-abc
db1   connector  running  socket only   not ready  2027-11-20         0.1.0-abc

db1: clients of alpha at [::]:9999, to read at [::]:9998

db1: manager is not ready: it is stopping
db1: connector is not ready: it is stopping
`,
    )
    expect(textOf(one, { ...plain, colour: true })).toContain('\u001b[33mnot ready\u001b[39m')
  })
})
