import type { Argument, Command, Option } from 'commander'
import type { CommandContext } from '../../cli/context.ts'
import { components } from '../../contracts/component.ts'

/** A word that can be typed, and what it stands for. */
export type Candidate = { readonly word: string; readonly description?: string }

/** Words that can be typed at one place; `directive` says how the shell goes on behind them. */
export type Values = {
  readonly candidates: readonly Candidate[]
  readonly directive: 'files' | 'nospace' | 'words'
}

/** What a source of values may look at. */
export type Asked = {
  readonly command: Command
  /** Arguments of the command so far. */
  readonly args: readonly string[]
  /** Value as far as it is typed. */
  readonly typed: string
  /** What stands before the value in the same word, such as `--set=`. */
  readonly prefix: string
  readonly context: CommandContext
}

type Source = (asked: Asked) => Promise<Values> | Values

const words = (list: Iterable<string>): Values => ({
  candidates: [...new Set(list)].map((word) => ({ word })),
  directive: 'words',
})

const files: Source = () => ({ candidates: [], directive: 'files' })
const nothing: Source = () => words([])

/** Sources by the names that commands give their arguments and the values of their options. */
const byName: Readonly<Record<string, Source>> = {
  file: files,
  path: files,
  archive: files,
  before: files,
  after: files,
  component: () => words(components),
  'name=value': settingValues,
}

/** Sources where the name alone does not tell. */
const byPlace: Readonly<Record<string, Source>> = {
  'muster explain name': topics,
  'muster --host': async (asked) => listed(asked, (await clusterOf(asked)).hosts),
  'muster --service': async (asked) => listed(asked, (await clusterOf(asked)).services),
  'tapi --host': async (asked) =>
    words((await recorded(asked)).flatMap(({ hosts }) => hosts.map(({ name }) => name)).filter(isPlain)),
  'tapi --cluster': async (asked) =>
    words((await recorded(asked)).map(({ cluster }) => cluster).filter(isPlain)),
  // Which users there are, hosts say; files of the working directory are none of them.
  'muster users rotate name': nothing,
  'muster users remove name': nothing,
  'muster users unlock name': nothing,
  'tapi get path': nothing,
  'tapi post path': nothing,
}

/** Returns where the values of an argument or an option come from; undefined where they can be anything. */
export function sourceOf(place: Argument | Option, command: Command): Source | undefined {
  const { argChoices } = place
  if (argChoices !== undefined) return () => words(argChoices)
  const path = pathOf(command)
  const isArgument = !('flags' in place)
  const name = isArgument ? place.name() : (/<([^>.]+)/.exec(place.flags)?.[1] ?? '')
  if (isArgument && name === 'command')
    return () => words(command.parent?.commands.map((one) => one.name()) ?? [])
  const [program] = path.split(' ')
  return byPlace[isArgument ? `${path} ${name}` : `${program} ${place.long}`] ?? byName[name]
}

/** Returns the values of an argument or an option, each behind the prefix. */
export async function valuesOf(place: Argument | Option, asked: Asked): Promise<Values> {
  const { candidates, directive } = await (sourceOf(place, asked.command) ?? nothing)(asked)
  return { candidates: candidates.map((one) => ({ ...one, word: asked.prefix + one.word })), directive }
}

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`

/** Options of the file under every spelling, as `--set` takes them, and behind `=` the values that can be listed. */
async function settingValues({ typed }: Asked): Promise<Values> {
  const { allOptions } = await import('../../config/settings/options.ts')
  const [, name] = /^([^=]*)=/.exec(typed) ?? []
  if (name === undefined) {
    const candidates = allOptions.flatMap((setting) =>
      [setting.name, ...setting.aliases].map((spelling) => ({
        word: `${spelling}=`,
        description: setting.documentation.replace(/(?:[.;] .*|\.)$/s, ''),
      })),
    )
    return { candidates, directive: 'nospace' }
  }
  const setting = allOptions.find((one) => one.name === name || one.aliases.includes(name))
  if (setting === undefined) return words([])
  const { enum: choices, type } = setting.type.schema
  const listed = Array.isArray(choices) ? choices.map(String) : type === 'boolean' ? ['true', 'false'] : []
  // A secret is never an argument: it comes from standard input.
  return words((setting.secret ? ['-'] : listed).map((value) => `${name}=${value}`))
}

/** What `muster explain` explains: findings, and every name that a file can have. */
async function topics(): Promise<Values> {
  const [{ catalogue }, { allOptions }, { allFile, allHost, allService }, { allSsh }, { spellings }] =
    await Promise.all([
      import('../../diagnostics/catalogue.ts'),
      import('../../config/settings/options.ts'),
      import('../../config/settings/places.ts'),
      import('../../config/settings/ssh.ts'),
      import('../../config/settings/setting.ts'),
    ])
  const settings = [...allFile, ...allService, ...allHost, ...allSsh, ...allOptions]
  return words([...Object.keys(catalogue), ...spellings(settings)])
}

/** Hosts and services of the files that the command line names so far; none where these cannot be understood. */
async function clusterOf({ command, args, context }: Asked) {
  const [{ readNamedFiles }, { loadConfig }] = await Promise.all([
    import('../../session/loadCluster.ts'),
    import('../../config/load.ts'),
  ])
  const { registeredArguments: known } = command
  const named = args.filter((_, index) => (known[index] ?? known.at(-1))?.name() === 'file')
  // Nothing is read that waits for somebody, or can be read once only.
  const read = named.some((path) => /^(?:-$|\/dev\/|\/proc\/)/.test(path))
    ? { files: [] }
    : await readNamedFiles({ context, files: named, policy: 'safe' })
  const { cluster } = loadConfig({ files: read.files, home: context.cwd })
  return {
    hosts: cluster?.hosts.map(({ name }) => name) ?? [],
    services: [...(cluster?.draft.services.keys() ?? [])],
  }
}

/** A shell may put a word on the line as it is, and would read more into other names. */
const isPlain = (name: string): boolean => /^[\w.-]+$/.test(name)

/** Names of a file, each behind those that the list already has. */
function listed({ typed }: Asked, names: readonly string[]): Values {
  const [before] = /^.*,/s.exec(typed) ?? ['']
  return words(names.filter(isPlain).map((name) => before + name))
}

/** Clusters that muster recorded for tapi. */
async function recorded({ context }: Asked) {
  const [{ readRegistry }, { registryDirectory }] = await Promise.all([
    import('../../client/registry.ts'),
    import('../../client/registry.ts'),
  ])
  return readRegistry(registryDirectory(context.env))
}
