import { resolve } from 'node:path'
import type { CliCommand } from '../cli/cliCommand.ts'
import { type Define, flag, type World } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { readPassword } from '../cli/readPassword.ts'
import { openArchive, sealArchive } from '../deployment/state/archive.ts'
import { readArchive, writeArchive } from '../deployment/state/archiveFile.ts'
import { emptyState } from '../deployment/state/clusterState.ts'
import { lockState } from '../deployment/state/lockState.ts'
import { openState, readState, saveState } from '../deployment/state/openState.ts'
import { recordCopy } from '../deployment/state/stateCopy.ts'
import { stateDifferences } from '../deployment/state/stateDifferences.ts'
import { StateError } from '../deployment/state/stateError.ts'
import { type StatePlace, stateFolder } from '../deployment/state/statePlace.ts'
import type { Secret } from '../secrets/secret.ts'
import { fileArguments, runOnFiles } from '../session/clusterOptions.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { recordInstalled } from '../session/recordInstalled.ts'

export const stateExportCommand: Define = (made, world) =>
  transferCommand(made, { world, operation: 'export', option: 'out' })

export const stateImportCommand: Define = (made, world) =>
  transferCommand(made, { world, operation: 'import', option: 'from' })

function transferCommand(
  made: CliCommand,
  given: { readonly world: World; readonly operation: 'export' | 'import'; readonly option: string },
): CliCommand {
  const { world, operation, option } = given
  fileArguments(made)
    .requiredOption(`--${option} <archive>`, 'path of the archive')
    .option('--passphrase-file <file>', 'file with the passphrase')
    .option('--passphrase-stdin', 'read the passphrase from standard input')
  return runOnFiles(made, world, (options) => {
    const values = made.opts<Record<string, string | undefined>>()
    return state({
      ...options,
      operation,
      archive: values[option] ?? '',
      passphraseFile: values.passphraseFile,
      passphraseStdin: flag(made, 'passphraseStdin'),
    })
  })
}

/** Exports or imports the state directory, encrypted by a passphrase. */
export async function state(
  options: ClusterOptions & {
    readonly operation: 'export' | 'import'
    /** The archive's path. */
    readonly archive: string
    readonly passphraseFile: string | undefined
    readonly passphraseStdin: boolean
  },
): Promise<ExitCode> {
  const { context, operation, archive } = options
  const { config } = await openCluster(options)
  const place = { context, directory: config.directory, cluster: config.cluster }
  const passphrase = await readPassphrase(options)
  if (operation === 'export') return stateExport({ ...place, out: archive, passphrase })
  const code = await stateImport({ ...place, from: archive, passphrase })
  const imported = code === exitCodes.ok ? await readState(place) : undefined
  if (imported === undefined) return code
  const seen = { installed: config.hosts.map(({ name }) => name), gone: [] }
  await recordInstalled({ context, config, state: imported.state, seen })
  return code
}

const readPassphrase = (options: {
  readonly context: ClusterOptions['context']
  readonly operation: 'export' | 'import'
  readonly passphraseFile: string | undefined
  readonly passphraseStdin: boolean
}): Promise<Secret> =>
  readPassword({
    context: options.context,
    what: 'the passphrase of the archive',
    options: {
      file: '--passphrase-file',
      stdin: '--passphrase-stdin',
      variable: 'MUSTER_STATE_PASSPHRASE',
    },
    file: options.passphraseFile,
    stdin: options.passphraseStdin,
    twice: options.operation === 'export',
  })

/** Exports the whole state to one encrypted file (0600). */
export async function stateExport(options: {
  readonly context: CommandContext
  /** Folder of the YAML file, absolute. */
  readonly directory: string
  readonly cluster: string
  readonly out: string
  readonly passphrase: Secret
}): Promise<ExitCode> {
  const { context, cluster, passphrase } = options
  const out = resolve(context.cwd, options.out)
  try {
    // Looked at first: taking the lock makes a folder where there was none.
    if ((await readState(options)) === undefined) throw nothingThere(options)
    const lock = await lockState(options, { now: context.now(), operation: 'state export' })
    try {
      const { state, notes } = await openState(options)
      for (const note of notes) context.stderr.write(`warning: ${note}\n`)
      await writeArchive(out, await sealArchive({ cluster, state, passphrase }))
      await recordCopy(options, state)
    } finally {
      await lock.release()
    }
    context.stdout.write(
      `wrote ${out} (encrypted). It contains the authority's key and generated passwords: store it and its passphrase separately\n`,
    )
    return exitCodes.ok
  } catch (error) {
    return stateFailure(context, error)
  }
}

const nothingThere = (place: StatePlace): StateError =>
  new StateError({
    code: 'no-state',
    message: `cluster \`${place.cluster}\` has no state to export: ${stateFolder(place)} does not exist or is empty`,
    fix: 'Run this on the machine that installed the cluster.',
  })

/** Imports an exported state into a folder without one. */
export async function stateImport(options: {
  readonly context: CommandContext
  /** Folder of the YAML file, absolute. */
  readonly directory: string
  readonly cluster: string
  readonly from: string
  readonly passphrase: Secret
}): Promise<ExitCode> {
  const { context, cluster, passphrase } = options
  const from = resolve(context.cwd, options.from)
  try {
    const archive = await readArchive(from, context.signal).catch((error: unknown) => {
      throw context.signal.aborted ? new Interrupted() : error
    })
    const there = await openArchive({ name: from, cluster, archive, passphrase })
    const lock = await lockState(options, { now: context.now(), operation: 'state import' })
    try {
      const { state: here, notes } = await openState(options)
      for (const note of notes) context.stderr.write(`warning: ${note}\n`)
      const differences = stateDifferences(here, there)
      if (differences.length === 0) {
        await recordCopy(options, there)
        context.stdout.write(`nothing to do: ${stateFolder(options)} already has this state\n`)
        return exitCodes.ok
      }
      if (stateDifferences(here, emptyState).length > 0) return refuse(options, differences)
      await saveState({ ...options, before: here, after: there })
      await recordCopy(options, there)
      context.stdout.write(`imported the state of cluster \`${cluster}\` into ${stateFolder(options)}\n`)
      return exitCodes.ok
    } finally {
      await lock.release()
    }
  } catch (error) {
    return stateFailure(context, error)
  }
}

function refuse(
  options: { context: CommandContext; directory: string; cluster: string },
  differences: readonly string[],
): ExitCode {
  const folder = stateFolder(options)
  const lines = differences.map((line) => `  - ${line}\n`).join('')
  options.context.stderr.write(
    `error: ${folder} has a different state than the archive, and muster never overwrites a state (already-exists)\n` +
      `${lines}  fix: To use the state of the archive, move ${folder} away first.\n`,
  )
  return exitCodes.failed
}

const usage: readonly string[] = ['already-exists', 'no-state', 'not-an-archive', 'weak-passphrase']

/** Prints the error and returns its exit code; rethrows anything but a `StateError`. */
function stateFailure(context: Pick<CommandContext, 'stderr'>, error: unknown): ExitCode {
  if (!(error instanceof StateError)) throw error
  context.stderr.write(`error: ${error.message} (${error.code})\n  fix: ${error.fix}\n`)
  if (error.code === 'locked') return exitCodes.locked
  return usage.includes(error.code) ? exitCodes.usage : exitCodes.failed
}
