import { describe, expect, it } from 'vitest'
import { fakeHost } from './fakeHost.ts'
import { connectorStatus } from './payloads.ts'

async function host() {
  const { tapi, apis } = await fakeHost('connector')
  const { answers, sent } = apis.connector
  answers.set('connectorStatus', { payload: connectorStatus })
  return { tapi, answers, sent }
}

const fields = `state    ONHOLD since 2025-03-10 10:12:18 UTC by admin
reason   -
active   12
held     4, the first until 2025-03-10 10:13:18 UTC
created  515
`
const table = `
service  data source  active  created
alpha    db1          12      512
alpha    db3          0       3
`

describe('tapi connector', () => {
  it('shows the state and the connections', async () => {
    const { tapi } = await host()
    expect(await tapi(['connector', 'status'])).toEqual({ code: 0, stdout: fields + table, stderr: '' })
    const json = await tapi(['connector', 'status', '--json'])
    expect(JSON.parse(json.stdout).payload).toEqual(connectorStatus)
  })

  it('changes the state, and reports whether it changed', async () => {
    const { tapi, answers, sent } = await host()
    answers.set('connectorOnhold', { payload: { ...connectorStatus, datasources: [], changed: true } })
    expect(await tapi(['connector', 'onhold', '--i-am-sure'])).toEqual({
      code: 0,
      stdout: `${fields}changed  yes\n`,
      stderr: '',
    })
    expect(sent).toEqual(['POST /api/v2/connector/onhold?i-am-sure=true'])
  })

  it.each([
    ['offline', [], 'existing ones get time to finish, then are closed?', '?i-am-sure=true'],
    ['offline', ['--immediate'], 'existing ones are closed at once?', '?immediate=true&i-am-sure=true'],
    ['onhold', [], 'Applications wait;', '?i-am-sure=true'],
    ['online', [], 'accept and forward connections?', '?i-am-sure=true'],
  ])(
    'asks before %s with options %j, and names the effect on applications',
    async (change, options, words, query) => {
      const { tapi, sent } = await host()
      const { code, stderr } = await tapi(['connector', change, ...options], { typed: ['yes\n'] })
      expect(code).toBe(0)
      expect(stderr).toContain(words.replace(/\?$/, ''))
      expect(stderr).toMatch(/db1 connector at https:.* \[yes\/no\] $/s)
      expect(sent).toEqual([`POST /api/v2/connector/${change}${query}`])
    },
  )

  it('accepts --immediate only for offline', async () => {
    const { tapi, sent } = await host()
    expect(await tapi(['connector', 'onhold', '--immediate', '--yes'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("unknown option '--immediate'"),
    })
    expect(sent).toEqual([])
  })
})
