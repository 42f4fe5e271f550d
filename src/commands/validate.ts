import { counted, listOf } from '../base/words.ts'
import { type Define, flag } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import type { FindingFormat } from '../cli/formatOption.ts'
import { formatGiven, formatOption } from '../cli/formatOption.ts'
import { optionsHelp } from '../cli/optionsHelp.ts'
import { printDiagnostics } from '../cli/printDiagnostics.ts'
import { printReport } from '../cli/printReport.ts'
import { UsageError } from '../cli/usageError.ts'
import type { Silenced } from '../config/document/applyIgnores.ts'
import type { ClusterConfig } from '../config/model.ts'
import { asksForStdin, setSource } from '../config/sets.ts'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import { fileArguments, runOnFiles } from '../session/clusterOptions.ts'
import { type LoadedCluster, loadCluster, readSetInput } from '../session/loadCluster.ts'
import { withoutSilenced } from '../session/withoutSilenced.ts'
import { findBeyondFiles } from './validate/findBeyondFiles.ts'

export const validateCommand: Define = (made, world) =>
  runOnFiles(
    formatOption(fileArguments(made))
      .option('--each', 'validate each file alone instead of merging them')
      .option('--strict', 'count warnings as errors')
      .option('--resolve-secrets', 'trust the files: run !exec programs, read files outside their folder')
      .note(optionsHelp),
    world,
    (options) =>
      validate({
        ...options,
        format: formatGiven(made),
        each: flag(made, 'each'),
        strict: flag(made, 'strict'),
        resolveSecrets: flag(made, 'resolveSecrets'),
      }),
  )

const stricter = (finding: Diagnostic): Diagnostic =>
  finding.severity === 'warning' ? { ...finding, severity: 'error' } : finding

/** Files that were checked together. */
type CheckedFiles = {
  readonly loaded: LoadedCluster
  /** With warnings as errors where the run is strict; without what comments silence. */
  readonly diagnostics: readonly Diagnostic[]
  readonly silenced: readonly Silenced[]
  readonly failed: boolean
}

type ValidateOptions = {
  readonly context: CommandContext
  readonly files: readonly string[]
  readonly set: readonly string[]
  readonly format: FindingFormat
  readonly strict: boolean
  /** Trusts the files: runs their programs, and reads files anywhere. */
  readonly resolveSecrets: boolean
  /** Validates each file alone instead of merging all. */
  readonly each?: boolean
}

async function checkFiles(
  files: readonly string[],
  options: ValidateOptions,
  setInput?: string,
): Promise<CheckedFiles> {
  const { context, set, strict, resolveSecrets } = options
  const policy = resolveSecrets ? 'all' : 'safe'
  const loaded = await loadCluster({ context, files, set, policy, setInput })
  const { cluster } = loaded
  const beyond = cluster === undefined ? [] : await findBeyondFiles({ context, cluster, policy })
  // Of a kind that differs from machine to machine, so no comment about them counts as unused.
  const { findings, silenced } = withoutSilenced(loaded, { findings: [...loaded.diagnostics, ...beyond] })
  const diagnostics = strict ? findings.map(stricter) : findings
  return { loaded, diagnostics, silenced, failed: diagnostics.some(({ severity }) => severity === 'error') }
}

/** Checks each file alone, one after another: standard input, which a --set may need, can be read only once. */
async function checkEachFile(options: ValidateOptions): Promise<readonly CheckedFiles[]> {
  const { context, set } = options
  const files = [...new Set(options.files)]
  if (files.includes('-') && set.some(asksForStdin)) {
    throw new UsageError(
      'Standard input can be read only once, but a file and --set both use it.',
      'Use "-" for one of them; --set NAME=@FILE reads a file.',
    )
  }
  const setInput = await readSetInput({ context, set, unused: false })
  const checked: CheckedFiles[] = []
  for (const file of files) checked.push(await checkFiles([file], options, setInput))
  return checked
}

const filesOf = ({ loaded }: CheckedFiles): readonly string[] =>
  loaded.sources.map(({ name }) => name).filter((name) => name !== setSource)

/** Returns one line about a valid configuration. */
function summary({ cluster, hosts }: ClusterConfig, silenced: number): string {
  const enabled = hosts.flatMap(({ apis }) => apis.filter((api) => api.enabled)).length
  const quiet = silenced === 0 ? '' : ` (${silenced} silenced)`
  return `The configuration of ${cluster} is valid: ${counted(hosts.length, 'host')}, ${counted(enabled, 'API')}${quiet}.\n`
}

/** Returns the line of one file among several that were checked alone. */
function verdict(one: CheckedFiles): string {
  const { loaded, diagnostics, silenced, failed } = one
  const [file = diagnostics[0]?.span.file ?? ''] = filesOf(one)
  if (!failed && loaded.config !== undefined) return `${file}: ${summary(loaded.config, silenced.length)}`
  return `${file}: ${counted(diagnostics.filter(({ severity }) => severity === 'error').length, 'error')}.\n`
}

/** Explains that several files are one configuration. */
function mergedText(one: CheckedFiles): string {
  const files = filesOf(one)
  if (files.length < 2) return ''
  return `Merged ${listOf(files)} into one configuration. To validate each file alone, use --each.\n`
}

/**
 * Prints every finding of a configuration. Exit codes: 0 no errors (with `strict`: no findings), 1 findings, 3 a file
 * cannot be read. With `each`, that of the worst file.
 */
export async function validate(options: ValidateOptions): Promise<ExitCode> {
  const { context, format } = options
  const each = options.each === true && options.files.length > 0
  const checked = each ? await checkEachFile(options) : [await checkFiles(options.files, options)]
  const diagnostics = checked.flatMap((one) => one.diagnostics)
  const merged = each ? '' : checked.map(mergedText).join('')

  if (format === 'text') {
    const sources = checked.flatMap(({ loaded }) => loaded.sources)
    // Where nothing failed, the summary counts them.
    const silenced = checked.flatMap((one) => (one.failed ? one.silenced : [])).length
    printDiagnostics({ diagnostics, sources, silenced }, { context, output: context.stdout })
    context.stdout.write(merged)
    if (checked.length > 1) context.stdout.write(checked.map(verdict).join(''))
    else {
      for (const { failed, loaded, silenced } of checked) {
        if (!failed && loaded.config !== undefined) {
          context.stdout.write(summary(loaded.config, silenced.length))
        }
      }
    }
  } else {
    const files = checked.flatMap(filesOf)
    const silenced = checked.flatMap((one) => one.silenced)
    await printReport({ findings: diagnostics, silenced, files }, { context, format })
    context.stderr.write(merged)
  }
  if (checked.some(({ loaded }) => loaded.missing)) return exitCodes.usage
  return checked.some(({ failed }) => failed) ? exitCodes.failed : exitCodes.ok
}
