import type { Diagnostic, Span } from '../diagnostics/diagnostic.ts'
import { ordered } from '../diagnostics/order.ts'
import type { SourceText } from '../diagnostics/source.ts'
import { allRules } from './allRules.ts'
import { buildConfig } from './build.ts'
import { readDocument } from './document/readDocument.ts'
import type { Ignore } from './document/readIgnores.ts'
import { fileNames } from './knownNames.ts'
import type { ClusterConfig } from './model.ts'
import { resolveCluster } from './resolve/resolveCluster.ts'
import type { ResolvedCluster } from './resolve/resolved.ts'
import { readSets, setSource } from './sets.ts'
import type { Draft } from './shape/draft.ts'
import { readDraft } from './shape/readDraft.ts'

/** One YAML file as it was read. */
export type ConfigFile = {
  /** As the user typed it; findings name it so. */
  readonly name: string
  /** Absolute folder that paths in it are relative to. */
  readonly directory: string
  readonly text: string
}

export type LoadOptions = {
  /** Later files lie over earlier ones. At least one. */
  readonly files: readonly ConfigFile[]
  /** `name=value` of the command line. */
  readonly set?: readonly string[]
  /** What a `--set name=-` takes. */
  readonly stdin?: string
  /** The operator's home, absolute. */
  readonly home: string
  /** What paths given by `--set` are relative to, absolute; the first file's folder unless told. */
  readonly cwd?: string
  /** Whether a file is there; without it nobody looks for stores. */
  readonly exists?: (path: string) => boolean
  /** Whether further files were named and could not be read: no rule then guesses what is in them. */
  readonly incomplete?: boolean
}

export type LoadResult = {
  /** Only when no finding is an error. */
  readonly config?: ClusterConfig
  /** What the files say with all layers applied; absent where one of them could not be understood. */
  readonly cluster?: ResolvedCluster
  /** By file and position. */
  readonly diagnostics: readonly Diagnostic[]
  /** The texts that the findings point into, with what must not be shown of them. */
  readonly sources: readonly SourceText[]
  /** The comments of the files that silence findings; whoever shows findings applies them, last of all. */
  readonly ignores: readonly Ignore[]
}

/** A file as a draft; `draft` is absent when its text could not be understood. */
type Judged = {
  readonly draft?: Draft
  readonly findings: readonly Diagnostic[]
  readonly source: SourceText
  readonly ignores: readonly Ignore[]
}

function judge({ name, text }: ConfigFile): Judged {
  const plain = text.replace(/^\ufeff/, '')
  const document = readDocument({ name, text: plain }, fileNames)
  const source = (hidden: readonly Span[]): SourceText => ({ name, text: plain, hidden })
  const { findings, ignores } = document
  if (document.root === undefined) return { findings, ignores, source: source(document.hidden) }
  const read = readDraft(document.root)
  const sound = read.findings.filter(({ span }) => !document.doubtful.has(span.line))
  return {
    draft: read.value,
    findings: [...findings, ...sound],
    ignores,
    source: source([...document.hidden, ...read.hidden]),
  }
}

/** Reads, judges and resolves a configuration. Pure: all findings at once, none thrown. */
export function loadConfig(options: LoadOptions): LoadResult {
  const { files, home, exists } = options
  const directory = files[0]?.directory ?? home
  const judged = files.map(judge)
  const sets = readSets(options.set ?? [], options.stdin)
  const drafts = judged.map(({ draft }) => draft).filter((draft) => draft !== undefined)
  const shape = [...judged.flatMap(({ findings }) => findings), ...sets.findings]
  const sources = [...judged.map(({ source }) => source), sets.source]
  const ignores = judged.flatMap((file) => file.ignores)
  const order = [...files.map(({ name }) => name), setSource]
  // What one file cannot tell is unknown, so rules about the whole would guess.
  const incomplete = options.incomplete === true || drafts.length < files.length || files.length === 0
  if (incomplete) return { diagnostics: ordered(shape, order), sources, ignores }

  const directories = new Map([
    ...files.map((file) => [file.name, file.directory] as const),
    [setSource, options.cwd ?? directory] as const,
  ])
  const cluster = resolveCluster({
    drafts,
    sets: sets.values,
    paths: { home, directories, fallback: directory },
    files: order,
    ...(exists === undefined ? {} : { exists }),
  })
  const diagnostics = ordered([...shape, ...allRules.flatMap((rule) => rule(cluster))], order)
  const result = { cluster, diagnostics, sources, ignores }
  if (diagnostics.some(({ severity }) => severity === 'error')) return result
  return { ...result, config: buildConfig(cluster, directory) }
}
