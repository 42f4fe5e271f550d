import { homedir } from 'node:os'
import type { CommandContext } from '../cli/context.ts'
import { promptHidden } from '../cli/promptHidden.ts'
import { fileExists, type ReadConfigFiles, readConfigFiles, readStdin } from '../cli/readConfigFiles.ts'
import { UsageError } from '../cli/usageError.ts'
import type { Ignore } from '../config/document/readIgnores.ts'
import { loadConfig } from '../config/load.ts'
import type { ClusterConfig } from '../config/model.ts'
import type { ResolvedCluster } from '../config/resolve/resolved.ts'
import { asksForStdin } from '../config/sets.ts'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import type { SourceText } from '../diagnostics/source.ts'
import { isBelow, type SecretPolicy } from '../secrets/policy.ts'

/** The file that a command reads when none is named. */
export const defaultFile = 'muster.yaml'

export type LoadedCluster = {
  /** Only when no finding is an error. */
  readonly config?: ClusterConfig
  /** Configuration with all layers applied; absent after a syntax error. */
  readonly cluster?: ResolvedCluster
  /** All of them: what comments silence is taken out last, by `withoutSilenced`. */
  readonly diagnostics: readonly Diagnostic[]
  readonly ignores: readonly Ignore[]
  /** True if several files, or a file and --set, were merged. */
  readonly combined: boolean
  /** Texts for excerpts. */
  readonly sources: readonly SourceText[]
  /** True if a file does not exist or cannot be opened: exit code 3 instead of 1. */
  readonly missing: boolean
}

/** Reads the files of a command: those named, else MUSTER_FILE, else ./muster.yaml. */
export async function readNamedFiles({
  context,
  files,
  policy = 'all',
  takesHost = false,
}: {
  readonly context: CommandContext
  readonly files: readonly string[]
  readonly policy?: SecretPolicy
  readonly takesHost?: boolean
}): Promise<ReadConfigFiles & { readonly paths: readonly string[] }> {
  const named = files.length > 0 ? files : [context.env.MUSTER_FILE ?? ''].filter(Boolean)
  const isDefault = named.length === 0
  const paths = isDefault ? [defaultFile] : named
  const { cwd, stdin, signal } = context
  return { paths, ...(await readConfigFiles({ paths, cwd, stdin, signal, isDefault, policy, takesHost })) }
}

/** Reads and checks the files of a command: those named, else MUSTER_FILE, else ./muster.yaml. */
export async function loadCluster(options: {
  readonly context: CommandContext
  readonly files: readonly string[]
  readonly set: readonly string[]
  /** `safe`: the files may be a stranger's, so nothing outside their folders is read. Default: `all`. */
  readonly policy?: SecretPolicy
  /** Set for a command with --host: a missing file may be a host's name. */
  readonly takesHost?: boolean
  /** The value of a `--set name=-` where it was read before; else it is read. */
  readonly setInput?: string | undefined
}): Promise<LoadedCluster> {
  const { context, set, policy = 'all' } = options
  const { paths, ...read } = await readNamedFiles(options)
  const incomplete = read.diagnostics.length > 0
  const stdin = paths.includes('-')
    ? undefined
    : (options.setInput ?? (await readSetInput({ context, set, unused: incomplete })))
  const loaded = loadConfig({
    files: read.files,
    set,
    home: context.env.HOME ?? homedir(),
    cwd: context.cwd,
    // Of what is not looked at nobody can say that it is not there.
    exists: (path) =>
      (policy === 'safe' && !read.files.some(({ directory }) => isBelow(path, directory))) ||
      fileExists(path),
    incomplete,
    ...(stdin === undefined ? {} : { stdin }),
  })
  return {
    ...loaded,
    diagnostics: [...read.diagnostics, ...loaded.diagnostics],
    combined: paths.length > 1 || set.length > 0,
    missing: read.missing,
  }
}

/**
 * The value of a `--set name=-`: typed unseen where standard input is a terminal, else all of it. Undefined
 * when none is asked for. Throws a `UsageError` when nothing was typed, or `Interrupted`.
 */
export async function readSetInput(options: {
  readonly context: CommandContext
  readonly set: readonly string[]
  /** The value is not used, so it is not prompted for. */
  readonly unused: boolean
}): Promise<string | undefined> {
  const { context, set, unused } = options
  const asking = set.find(asksForStdin)
  if (asking === undefined) return undefined
  if (unused) return ''
  if (context.stdin.isTTY !== true) return readStdin(context.stdin)
  const name = asking.slice(0, asking.indexOf('='))
  const typed = (await promptHidden({ context, question: name }))?.reveal() ?? ''
  if (typed !== '') return typed
  throw new UsageError(
    `${name} was not given.`,
    'Type it and press Enter; it is not shown. Without --set, the value of the file is used.',
  )
}
