import { describe, expect, it, onTestFinished } from 'vitest'
import { portOf } from '../support/https.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { certificate, settingsIn, start } from '../support/testServer.ts'
import { workplace } from './support.ts'

const login = { TAPI_USER: 'admin', TAPI_PASSWORD: 'right' }

/** A real server, whose administrator is `admin`, and tapi that calls it. */
async function realServer() {
  const place = await workplace()
  onTestFinished(place.remove)
  const server = await start(settingsIn(temporaryFolder()))
  const ca = await place.file('ca.pem', certificate.chain)
  const where = ['--host', '127.0.0.1', '--port', String(portOf(server)), '--ca', ca]
  const tapi = async (argv: readonly string[], env: Record<string, string> = login) => {
    const { code, stdout, stderr } = await place.run([...where, ...argv], { env })
    return { code, stdout, stderr }
  }
  expect((await tapi(['create-admin-user', '--user', 'admin', '--yes'])).code).toBe(0)
  return { tapi }
}

describe('tapi with a real server', () => {
  it('shows version, uris and health', async () => {
    const { tapi } = await realServer()
    expect(await tapi(['version'])).toEqual({
      code: 0,
      stdout: `version    1.2.3\ncomponent  manager\nnode       ${process.version}\n`,
      stderr: '',
    })
    const uris = await tapi(['uris'])
    expect(uris.stdout).toMatch(/^method {2}path\nGET +\/api\/v2\/ping\n/)
    expect(uris.stdout).toContain('POST    /api/v2/createAdminUser\n')
    expect(await tapi(['health'], {})).toEqual({ code: 0, stdout: 'ready\n', stderr: '' })
    const json = await tapi(['health', '--json'])
    expect(JSON.parse(json.stdout)).toEqual({ status: 200, state: 'ready', reasons: [] })
    expect((await tapi(['get', 'metrics'])).stdout).toContain('# TYPE ')
  })

  it('lists and deletes users, but not the last one', async () => {
    const { tapi } = await realServer()
    const more = { ...login, TAPI_NEW_PASSWORD: 'something long' }
    expect((await tapi(['create-admin-user', 'bob', '--yes'], more)).code).toBe(0)
    expect(await tapi(['users'])).toEqual({
      code: 0,
      stdout: 'user   access\nadmin  full\nbob    full\n',
      stderr: '',
    })
    expect(await tapi(['delete-user', 'bob', '--yes'])).toEqual({
      code: 0,
      stdout: 'bob is deleted\n',
      stderr: '',
    })
    expect((await tapi(['delete-user', 'bob', '--yes'])).stdout).toBe('user bob does not exist\n')
    expect(await tapi(['delete-user', 'admin', '--yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('[409 last-user]'),
    })
    expect(await tapi(['delete-user', 'a/b', '--yes'])).toMatchObject({ code: 3 })
    const made = await tapi(['create-admin-user', 'bob\u200b', '--yes'])
    expect(made).toMatchObject({ code: 3 })
    expect(made.stderr).toContain('must not contain the invisible character U+200B')
    expect((await tapi(['delete-user', 'bob\u200b', '--yes'])).code).toBe(0)
  })
})
