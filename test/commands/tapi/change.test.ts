import { expect, it } from 'vitest'
import { ClientError } from '../../../src/client/clientError.ts'
import { type Change, noteOf } from '../../../src/commands/tapi/change.ts'
import type { Call } from '../../../src/commands/tapi/prepareCall.ts'

const noting = (note: Change['note']): Change => ({
  command: 'x',
  order: async () => ({ path: '/' }),
  render: String,
  brief: String,
  ...(note && { note }),
})
const nobody = {} as Call

it('does without a note that could not be asked for: the change is done', async () => {
  const error = new ClientError({ code: 'reset', message: 'm', fix: 'f' })
  expect(
    await noteOf(
      noting(() => Promise.reject(error)),
      nobody,
      1,
    ),
  ).toBeUndefined()
  expect(await noteOf(noting(undefined), nobody, 1)).toBeUndefined()
  expect(
    await noteOf(
      noting(async (_call, body) => `${body}`),
      nobody,
      1,
    ),
  ).toBe('1')
})

it('hides no mistake of ours', async () => {
  const failing = noting(() => Promise.reject(new TypeError('ours')))
  await expect(noteOf(failing, nobody, 1)).rejects.toThrow('ours')
})
