import { describe, expect, it } from 'vitest'
import { optionsHelp } from '../../src/cli/optionsHelp.ts'
import { muster } from '../../src/commands/muster.ts'
import { allOptions, optionGroups } from '../../src/config/settings/options.ts'
import { spellings } from '../../src/config/settings/setting.ts'
import { commandContext } from '../config/commandContext.ts'

describe('the list of options in the help', () => {
  it.each([60, 80])('has all options by group, in lines of %d characters', (width) => {
    const lines = optionsHelp(width)
    const groups = lines.slice(lines.findIndex((line) => line.startsWith('  ')))
    const words = groups.flatMap((line) => line.slice(16).split(' '))
    expect(words).toEqual(spellings(allOptions))
    expect(lines.filter((line) => line.length > width)).toEqual([])
    const titles = groups.flatMap((line) => line.slice(0, 16).trim() || [])
    expect(titles).toEqual(optionGroups.map(({ title }) => title))
  })

  it.each(['validate', 'explain'])('is in the help of %s', async (name) => {
    const { context, out } = commandContext({})
    expect(await muster({ argv: [name, '--help'], context })).toBe(0)
    expect(out()).toContain(`\n${optionsHelp(80).join('\n')}\n`)
  })
})
