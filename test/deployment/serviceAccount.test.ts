import { describe, expect, it } from 'vitest'
import { asService, setAsService } from '../../src/deployment/serviceAccount.ts'
import { connectLocal } from '../../src/transport/local.ts'
import { rawResult } from '../support/rawResult.ts'

const said = async (script: string): Promise<string> => {
  const transport = await connectLocal({ host: 'db1', env: process.env })
  const { stdout } = rawResult(await transport.run(script))
  await transport.close()
  return stdout
}
const nobody = { user: 'nobody', isOther: true }
/** What proc(5) says of the rights of a process. */
const look = `sh -c 'id -u; id -g; id -G; grep -E "^(CapEff|CapPrm|NoNewPrivs):" /proc/self/status | tr -s "\\t " " "'`

describe('the rights of the service user', () => {
  it('are none of root’s, where the login is another one', async () => {
    const { user } = { user: await said('id -un') }
    expect(asService({ user: user.trim(), isOther: false })).toBe('')
    expect(await said(`${setAsService({ user: 'root', isOther: false })}\n$as echo "[$as]"`)).toBe('[]\n')
  })

  it.skipIf(process.getuid?.() !== 0)(
    'are its own alone: user, group, no other group, no capability, and none to win (needs root)',
    async () => {
      const group = (await said('id -g nobody')).trim()
      const expected = `65534\n${group}\n${group}\nCapPrm: 0000000000000000\nCapEff: 0000000000000000\nNoNewPrivs: 1\n`
      expect(await said(`${asService(nobody)}${look}`)).toBe(expected)
      expect(await said(`${setAsService(nobody)}\n$as ${look}`)).toBe(expected)
    },
  )

  it.skipIf(process.getuid?.() !== 0)(
    'run nothing as root where there is no such user (needs root)',
    async () => {
      expect(await said(`${asService({ user: 'no such-user', isOther: true })}echo ran; :`)).toBe('')
    },
  )
})
