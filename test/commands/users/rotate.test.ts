import { expect, it } from 'vitest'
import { readNewPassword } from '../../../src/commands/users/rotate.ts'
import { commandContext } from '../../config/commandContext.ts'

const read = async (typed: string) => {
  const { context, err } = commandContext({ typed })
  const password = await readNewPassword(context, { user: 'admin', from: '-' })
  return { password: password.reveal(), err: err() }
}

it('muster users rotate refuses a well-known new password, and warns about a weak one', async () => {
  await expect(read('secret\n')).rejects.toThrow('The new password is a well-known default password.')
  await expect(read('Admin\n')).rejects.toThrow('The new password is the user name itself.')
  expect(await read('short\n')).toEqual({
    password: 'short',
    err: 'warning: the new password has fewer than 12 characters\n  fix: Choose another one: at least 12 characters at random.\n',
  })
  expect(await read('Gloomy-Otter-Barn-41\n')).toEqual({ password: 'Gloomy-Otter-Barn-41', err: '' })
})
