import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { isConfirmed, requireConfirmation } from '../../src/cli/ask.ts'
import { Interrupted } from '../../src/cli/interrupted.ts'
import { commandContext } from '../config/commandContext.ts'

describe('isConfirmed', () => {
  it.each([
    ['yes\n', true],
    ['Y\n', true],
    ['no\n', false],
    ['maybe\n', false],
    ['', false],
  ])('reads %j as %j', async (typed, answer) => {
    const { context, err } = commandContext({ typed })
    expect(await isConfirmed(context, { yes: false, question: 'Go on?' })).toBe(answer)
    expect(err()).toBe('Go on? [yes/no] ')
  })

  it('asks nothing with --yes', async () => {
    const { context, err } = commandContext({})
    expect(await isConfirmed(context, { yes: true, question: 'Go on?' })).toBe(true)
    expect(err()).toBe('')
  })

  it('ends the line of the question after Ctrl-C, and reports that nothing was changed', async () => {
    const control = new AbortController()
    const { context, err } = commandContext({ stdin: new PassThrough(), signal: control.signal })
    const answer = isConfirmed(context, { yes: false, question: 'Go on?' })
    control.abort()
    await expect(answer).rejects.toBeInstanceOf(Interrupted)
    expect(err()).toBe('Go on? [yes/no] \nNothing was changed.\n')
  })
})

describe('requireConfirmation without a terminal', () => {
  it.each([
    [undefined, 'Review `muster plan` first, then pass --yes.'],
    ['users list', 'Review `muster users list` first, then pass --yes.'],
    [null, 'Pass --yes.'],
  ])('names the command that previews the changes: %s', (previewCommand, fix) => {
    const { context } = commandContext({})
    const options = {
      yes: false,
      command: 'users apply',
      ...(previewCommand !== undefined && { previewCommand }),
    }
    expect(() => requireConfirmation(context, options)).toThrow(expect.objectContaining({ fix }))
    expect(() => requireConfirmation(context, { ...options, yes: true })).not.toThrow()
  })
})
