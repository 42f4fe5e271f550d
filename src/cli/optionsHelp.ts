import { wrap } from '../base/wrapping.ts'
import { optionGroups } from '../config/settings/options.ts'
import { spellings } from '../config/settings/setting.ts'

const width = 80

/** The names of all options of the file by group, in lines of at most 80 characters, for the end of a help. */
export function optionsHelp(): string {
  const indent = 2 + Math.max(...optionGroups.map(({ title }) => title.length)) + 2
  const rest = ' '.repeat(indent)
  const groups = optionGroups.flatMap(({ title, settings }) =>
    wrap(spellings(settings).join(' '), { width, first: `  ${title}`.padEnd(indent), rest }),
  )
  return ['', 'Options of the file, for defaults, options and --set name=value:', ...groups].join('\n')
}
