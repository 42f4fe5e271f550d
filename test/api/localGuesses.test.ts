import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { hashPassword } from '../../src/accounts/passwordHash.ts'
import { formatUserFile } from '../../src/accounts/userFile.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { fetchAt, portOf } from '../support/https.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { basic, testCost } from '../support/testApi.ts'
import { certificate, settingsIn, start } from '../support/testServer.ts'

async function serverWithAdmin() {
  const folder = temporaryFolder()
  const hash = await hashPassword({ password: new Secret('right'), salt: Buffer.alloc(16), cost: testCost })
  const text = formatUserFile({ version: 1, users: [{ user: 'admin', access: 'full', hash }] })
  writeFileSync(join(folder, 'users.json'), text)
  const server = await start(settingsIn(folder))
  return { port: portOf(server), ca: certificate.chain }
}

/** Statuses of logins of admin that a user of this host makes, each over a connection of its own. */
async function guessAs(
  uid: number,
  port: number,
  passwords: readonly string[],
  localAddress = '127.0.0.1',
): Promise<readonly number[]> {
  const program = `
    const { request } = require('node:https')
    const call = (password) => new Promise((resolve) => request({
      host: '127.0.0.1', port: ${port}, path: '/api/v2/users', agent: false, rejectUnauthorized: false, localAddress: '${localAddress}',
      headers: { authorization: 'Basic ' + Buffer.from('admin:' + password).toString('base64') },
    }, (answer) => { answer.resume(); resolve(answer.statusCode) }).end())
    ;(async () => {
      const all = []
      for (const password of ${JSON.stringify(passwords)}) all.push(await call(password))
      console.log(JSON.stringify(all))
    })()`
  const options = { uid, gid: uid, cwd: '/', env: {} }
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], options)
  return JSON.parse(stdout)
}

const wrong = ['a', 'b', 'c', 'd', 'e', 'f']

describe.skipIf(process.geteuid?.() !== 0)('a local user that guesses (needs root)', () => {
  it('locks out neither root nor another user of the host, but itself', async () => {
    const place = await serverWithAdmin()
    expect(await guessAs(1234, place.port, wrong)).toEqual([401, 401, 401, 401, 401, 429])
    const headers = { authorization: basic('admin', 'wrong') }
    expect((await fetchAt(place, { path: '/api/v2/users', headers })).status).toBe(401)
    expect(await guessAs(1235, place.port, ['right'])).toEqual([200])
  })

  it('gains nothing by another address of loopback, and keeps its lock on a new connection', async () => {
    const place = await serverWithAdmin()
    await guessAs(1234, place.port, wrong)
    expect(await guessAs(1234, place.port, ['right'], '127.0.0.2')).toEqual([429])
  })
})
