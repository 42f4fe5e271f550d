import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { askPassphrase } from '../../src/cli/promptHidden.ts'
import { commandContext } from '../config/commandContext.ts'

const terminal = (typed: string) => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  stdin.write(typed)
  const { context, err } = commandContext({ cwd: '/' })
  return { context: { ...context, stdin }, err }
}

describe('askHidden', () => {
  it('asks one question after another, each with its own answer', async () => {
    const { context, err } = terminal('first\nsecond\n')
    const answers = await Promise.all(['/a', '/b'].map((path) => askPassphrase(context, path)))
    expect(answers.map((answer) => answer?.reveal())).toEqual(['first', 'second'])
    expect(err()).toBe('Passphrase of /a: \nPassphrase of /b: \n')
  })

  it('returns undefined for an empty answer, and without a terminal', async () => {
    expect(await askPassphrase(terminal('\n').context, '/a')).toBeUndefined()
    const { context, err } = commandContext({ cwd: '/' })
    expect(await askPassphrase(context, '/a')).toBeUndefined()
    expect(err()).toBe('')
  })
})
