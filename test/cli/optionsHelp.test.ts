import { describe, expect, it } from 'vitest'
import { optionsHelp } from '../../src/cli/optionsHelp.ts'
import { muster } from '../../src/commands/muster.ts'
import { allOptions, optionGroups } from '../../src/config/settings/options.ts'
import { spellings } from '../../src/config/settings/setting.ts'
import { commandContext } from '../config/commandContext.ts'

describe('the list of options in the help', () => {
  const lines = optionsHelp().split('\n')

  it('has all options by group, in lines of 80 characters', () => {
    const words = lines.slice(2).flatMap((line) => line.slice(16).split(' '))
    expect(words).toEqual(spellings(allOptions))
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    const titles = lines.slice(2).flatMap((line) => line.slice(0, 16).trim() || [])
    expect(titles).toEqual(optionGroups.map(({ title }) => title))
  })

  it.each(['validate', 'explain'])('ends the help of %s', async (name) => {
    const { context, out } = commandContext({})
    expect(await muster({ argv: [name, '--help'], context })).toBe(0)
    expect(out().endsWith(`${optionsHelp()}\n`)).toBe(true)
  })
})
