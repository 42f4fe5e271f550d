import type { Argument, Option } from 'commander'
import { allOptions } from '../../config/settings/options.ts'
import { allFile, allHost, allService } from '../../config/settings/places.ts'
import { spellings } from '../../config/settings/setting.ts'
import { allSsh } from '../../config/settings/ssh.ts'
import { components } from '../../contracts/component.ts'
import { catalogue } from '../../diagnostics/catalogue.ts'

/** What can be typed at one place: some words, a file, `name=value` of an option of the file, or anything. */
export type Completes =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'file' | 'assignment' | 'anything' }

const words = (list: readonly string[]): Completes => ({ kind: 'words', words: [...new Set(list)] })

const topics = words([
  ...Object.keys(catalogue),
  ...spellings([...allFile, ...allService, ...allHost, ...allSsh, ...allOptions]),
])

/** What stands behind the names that commands give their arguments and the values of their options. */
const byName: Readonly<Record<string, Completes>> = {
  file: { kind: 'file' },
  path: { kind: 'file' },
  archive: { kind: 'file' },
  before: { kind: 'file' },
  after: { kind: 'file' },
  component: words(components),
  'name=value': { kind: 'assignment' },
}

/** Where the name alone does not tell. */
const byPlace: Readonly<Record<string, Completes>> = {
  'muster explain name': topics,
  // Which users there are, hosts and files say; files of the working directory are none of them.
  'muster users rotate name': words([]),
  'muster users remove name': words([]),
  'muster users unlock name': words([]),
  'tapi get path': { kind: 'anything' },
  'tapi post path': { kind: 'anything' },
}

function completes(place: { path: string; name: string; choices: readonly string[] | undefined }): Completes {
  const { path, name, choices } = place
  if (choices !== undefined) return words(choices)
  return byPlace[`${path} ${name}`] ?? byName[name] ?? { kind: 'anything' }
}

/** Completion of an argument of the command `path`, beside which are the commands `siblings`. */
export const completesArgument = (
  argument: Argument,
  path: string,
  siblings: readonly string[],
): Completes =>
  argument.name() === 'command' && path.endsWith(' help')
    ? words(siblings)
    : completes({ path, name: argument.name(), choices: argument.argChoices })

/** What the value of an option of the command `path` can be. */
export function completesOption({ flags, argChoices }: Option, path: string): Completes {
  const [, name = ''] = /<([^>.]+)/.exec(flags) ?? []
  return completes({ path, name, choices: argChoices })
}
