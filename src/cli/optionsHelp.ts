import { wrap } from '../base/wrapping.ts'
import { optionGroups } from '../config/settings/options.ts'
import { spellings } from '../config/settings/setting.ts'

/** Lists the names of all options of the file by group, for the end of a help. */
export function optionsHelp(width: number): readonly string[] {
  const indent = 2 + Math.max(...optionGroups.map(({ title }) => title.length)) + 2
  const rest = ' '.repeat(indent)
  const groups = optionGroups.flatMap(({ title, settings }) =>
    wrap(spellings(settings).join(' '), { width, first: `  ${title}`.padEnd(indent), rest }),
  )
  return [
    ...wrap('Options of the file, for defaults, options and --set name=value:', {
      width,
      first: '',
      rest: '',
    }),
    ...groups,
  ]
}
