import {
  type CompletionRequest,
  isPlain,
  noValues,
  type Sources,
  type Values,
  words,
} from '../cli/completion/values.ts'
import { drillFaults } from '../contracts/drilling.ts'

/** Options of the file under every spelling, as `--set` takes them, and behind `=` the values that can be listed. */
async function settingValues({ typed }: CompletionRequest): Promise<Values> {
  const { allOptions } = await import('../config/settings/options.ts')
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

/** Returns all codes of findings and failures and all names of settings. */
async function topics(): Promise<Values> {
  const [
    { severities },
    { failureCodes },
    { allOptions },
    { allFile, allHost, allService },
    { allSsh },
    { allHooks },
    { spellings },
  ] = await Promise.all([
    import('../diagnostics/codes.ts'),
    import('../diagnostics/failures.ts'),
    import('../config/settings/options.ts'),
    import('../config/settings/places.ts'),
    import('../config/settings/ssh.ts'),
    import('../config/settings/hooks.ts'),
    import('../config/settings/setting.ts'),
  ])
  const settings = [...allFile, ...allService, ...allHost, ...allSsh, ...allHooks, ...allOptions]
  return words([...new Set([...Object.keys(severities), ...failureCodes]), ...spellings(settings)])
}

/** Hosts and services of the files that the command line names so far; none where these cannot be understood. */
async function clusterOf({ command, args, context }: CompletionRequest) {
  const [{ readNamedFiles }, { loadConfig }] = await Promise.all([
    import('../session/loadCluster.ts'),
    import('../config/load.ts'),
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

/** Returns the plain names of a file that the list does not have yet, each behind the list so far and behind `!`. */
function listed({ typed }: CompletionRequest, names: readonly string[]): Values {
  const [before] = /^(?:.*,)?!?/s.exec(typed) ?? ['']
  const taken = before.split(',')
  return words(names.filter((name) => isPlain(name) && !taken.includes(name)).map((name) => before + name))
}

/** Sources of the values that commands of muster take. */
export const completionSources: Sources = {
  'name=value': settingValues,
  'muster explain name': topics,
  'muster drill fault': async () => words(drillFaults),
  'muster --host': async (asked) => listed(asked, (await clusterOf(asked)).hosts),
  host: async (asked) => listed(asked, (await clusterOf(asked)).hosts),
  'muster --service': async (asked) => listed(asked, (await clusterOf(asked)).services),
  // Which users there are, hosts say; files of the working directory are none of them.
  'muster users rotate name': noValues,
  'muster users remove name': noValues,
  'muster users unlock name': noValues,
}
