import { homedir } from 'node:os'
import { loadConfig } from '../config/load.ts'
import type { ClusterConfig } from '../config/model.ts'
import { asksForStdin } from '../config/sets.ts'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import type { SourceText } from '../diagnostics/source.ts'
import type { CommandContext } from './context.ts'
import { isThere, readConfigFiles, readStdin } from './readConfigFiles.ts'

/** The file that a command reads when none is named. */
export const defaultFile = 'muster.yaml'

export type LoadedCluster = {
  /** Only when no finding is an error. */
  readonly config?: ClusterConfig
  readonly diagnostics: readonly Diagnostic[]
  /** What excerpts are taken from. */
  readonly sources: readonly SourceText[]
  /** Whether a file was not there or could not be opened: exit code 3 rather than 1. */
  readonly missing: boolean
}

/** Reads and judges the files of a command: those named, else MUSTER_FILE, else ./muster.yaml. */
export async function loadCluster(options: {
  readonly context: CommandContext
  readonly files: readonly string[]
  readonly set: readonly string[]
}): Promise<LoadedCluster> {
  const { context, set } = options
  const fromEnv = context.env.MUSTER_FILE
  const chosen = fromEnv === undefined || fromEnv === '' ? [] : [fromEnv]
  const named = options.files.length > 0 ? options.files : chosen
  const paths = named.length > 0 ? named : [defaultFile]
  const read = await readConfigFiles({
    paths,
    cwd: context.cwd,
    stdin: context.stdin,
    isDefault: named.length === 0,
  })
  const wantsStdin = set.some(asksForStdin) && !paths.includes('-')
  const stdin = wantsStdin ? await readStdin(context.stdin) : undefined
  const loaded = loadConfig({
    files: read.files,
    set,
    home: context.env.HOME ?? homedir(),
    cwd: context.cwd,
    exists: isThere,
    incomplete: read.diagnostics.length > 0,
    ...(stdin === undefined ? {} : { stdin }),
  })
  return {
    ...loaded,
    diagnostics: [...read.diagnostics, ...loaded.diagnostics],
    missing: read.missing,
  }
}
