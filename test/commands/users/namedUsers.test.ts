import { describe, expect, it } from 'vitest'
import { muster } from '../../../src/commands/muster.ts'
import { commandContext } from '../../config/commandContext.ts'

describe.each(['rotate', 'remove', 'unlock'])('muster users %s', (operation) => {
  it.each([
    ['a b', '“a b” is not a valid user name: it must not contain a space.'],
    ['', '“” is not a valid user name: it must not be empty.'],
    [
      'x\u001b[31m',
      '“x\\x1b[31m” is not a valid user name: it must not contain the control character U+001B',
    ],
    ['..', "“..” is not a valid user name: it must not be '..'"],
  ])('refuses the user name %j before it reads any file', async (name, message) => {
    const { context, err } = commandContext({})
    expect(
      await muster({
        argv: ['users', operation, name, ...(operation === 'unlock' ? [] : ['--yes'])],
        context,
      }),
    ).toBe(3)
    expect(err()).toContain(`error: ${message}`)
    expect(err()).toContain('fix: Put the user name before the files.')
  })

  it('requires a user name', async () => {
    const { context, err } = commandContext({})
    expect(await muster({ argv: ['users', operation], context })).toBe(3)
    expect(err()).toContain("missing required argument 'name'")
  })
})
