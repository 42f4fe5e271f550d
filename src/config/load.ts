import type { Diagnostic, Span } from '../diagnostics/diagnostic.ts'
import { sortFindings } from '../diagnostics/sortFindings.ts'
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

/** The content of one YAML file. */
export type ConfigFile = {
  /** As the user typed it; used in findings. */
  readonly name: string
  /** Absolute folder for relative paths in the file. */
  readonly directory: string
  readonly text: string
}

export type LoadOptions = {
  /** Later files override earlier ones. At least one. */
  readonly files: readonly ConfigFile[]
  /** `name=value` of the command line. */
  readonly set?: readonly string[]
  /** Value for `--set name=-`. */
  readonly stdin?: string
  /** The operator's home, absolute. */
  readonly home: string
  /** Absolute folder for relative paths of `--set`; default: that of the first file. */
  readonly cwd?: string
  /** Returns true if a file exists; absent: store files are not checked. */
  readonly exists?: (path: string) => boolean
  /** Further files were named and could not be read: rules must not guess their contents. */
  readonly incomplete?: boolean
}

export type LoadResult = {
  /** Only without errors. */
  readonly config?: ClusterConfig
  /** Values after all layers; absent if one file could not be parsed. */
  readonly cluster?: ResolvedCluster
  /** By file and position. */
  readonly diagnostics: readonly Diagnostic[]
  /** Texts of the findings, with what must not be printed. */
  readonly sources: readonly SourceText[]
  /** Comments that silence findings; the caller applies them before it prints. */
  readonly ignores: readonly Ignore[]
}

/** A file as a draft; `draft` is absent if its text could not be parsed. */
type CheckedFile = {
  readonly draft?: Draft
  readonly findings: readonly Diagnostic[]
  readonly source: SourceText
  readonly ignores: readonly Ignore[]
}

function checkFile({ name, text }: ConfigFile): CheckedFile {
  const plain = text.replace(/^\ufeff/, '')
  const document = readDocument({ name, text: plain }, fileNames)
  const source = (hidden: readonly Span[]): SourceText => ({ name, text: plain, hidden })
  const { findings, ignores } = document
  if (document.root === undefined) return { findings, ignores, source: source(document.hidden) }
  const read = readDraft(document.root)
  const reliable = read.findings.filter(({ span }) => !document.erroneousLines.has(span.line))
  return {
    draft: read.value,
    findings: [...findings, ...reliable],
    ignores,
    source: source([...document.hidden, ...read.hidden]),
  }
}

/** Parses, checks and resolves a configuration. Pure: returns all findings at once and throws none. */
export function loadConfig(options: LoadOptions): LoadResult {
  const { files, home, exists } = options
  const directory = files[0]?.directory ?? home
  const checked = files.map(checkFile)
  const sets = readSets(options.set ?? [], options.stdin)
  const drafts = checked.map(({ draft }) => draft).filter((draft) => draft !== undefined)
  const shape = [...checked.flatMap(({ findings }) => findings), ...sets.findings]
  const sources = [...checked.map(({ source }) => source), sets.source]
  const ignores = checked.flatMap((file) => file.ignores)
  const order = [...files.map(({ name }) => name), setSource]
  // With one unusable file some values are unknown, so rules about all files would guess.
  const incomplete = options.incomplete === true || drafts.length < files.length || files.length === 0
  if (incomplete) return { diagnostics: sortFindings(shape, order), sources, ignores }

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
  const diagnostics = sortFindings([...shape, ...allRules.flatMap((rule) => rule(cluster))], order)
  const result = { cluster, diagnostics, sources, ignores }
  if (diagnostics.some(({ severity }) => severity === 'error')) return result
  return { ...result, config: buildConfig(cluster, directory) }
}
