import { dirname, join, resolve } from 'node:path'
import { Option } from 'commander'
import { wrap } from '../base/wrapping.ts'
import { collectValues, type Define, flag } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { fileExists } from '../cli/readConfigFiles.ts'
import { textWidth } from '../cli/terminal.ts'
import { UsageError } from '../cli/usageError.ts'
import { type WriteOutcome, writeNewFile, writeProblem } from '../cli/writeNewFile.ts'
import type { ClusterConfig } from '../config/model.ts'
import { askAnswers, checkStartingFile, isThisMachine, parseHosts, wantsTest } from './init/askAnswers.ts'
import { exampleFile, localFile } from './init/startingFile.ts'
import { writeSchema } from './schema.ts'

export const initCommand: Define = (made, { context, done }) =>
  made
    .argument('[file]', 'file to write', 'muster.yaml')
    .addOption(
      new Option(
        '--host <name=address>',
        'a host; a list, or may be repeated; localhost alone is this machine, without SSH; asks nothing',
      ).argParser(collectValues),
    )
    .option('--user <name>', 'user to log in as over SSH, with sudo if it is not root (default: root)')
    .option('--cluster <name>', 'name of the cluster (default: alpha)')
    .addOption(
      new Option('--databases <kind>', 'the hosts run these database servers').choices(['mariadb', 'mysql']),
    )
    .option(
      '--from-inventory <file>',
      'take the hosts from an Ansible inventory or a Terraform output; - is standard input',
    )
    .addOption(
      new Option(
        '--limit <glob>',
        "only these hosts or groups of the inventory, such as 'db*' or '!db3'; may be repeated",
      ).argParser(collectValues),
    )
    .option('--force', 'overwrite an existing file')
    .note('On a terminal it asks for the cluster; elsewhere, without --host, it writes a commented example.')
    .action(async (file: string) => {
      const { host, fromInventory, limit, ...given } = made.opts<
        GivenAnswers & { host?: readonly string[]; fromInventory?: string; limit?: readonly string[] }
      >()
      const inventory = inventoryGiven({ file: fromInventory, limit, hosts: host })
      done(
        await init({
          context,
          file,
          force: flag(made, 'force'),
          given: { ...given, ...(host && { hosts: host }), ...(inventory && { inventory }) },
        }),
      )
    })

/** Answers of the command line. */
type GivenAnswers = {
  /** Each a list of NAME=ADDRESS. */
  readonly hosts?: readonly string[]
  readonly user?: string
  readonly cluster?: string
  readonly databases?: 'mariadb' | 'mysql'
  /** File with the hosts, and patterns of those to take. */
  readonly inventory?: { readonly file: string; readonly limit: readonly string[] }
}

/** Returns the source of hosts, if it is a file. Throws a `UsageError` for options that exclude each other. */
function inventoryGiven(options: {
  readonly file: string | undefined
  readonly limit: readonly string[] | undefined
  readonly hosts: readonly string[] | undefined
}): GivenAnswers['inventory'] {
  const { file, limit, hosts } = options
  if (file === undefined) {
    if (limit === undefined) return undefined
    throw new UsageError(
      '--limit needs --from-inventory.',
      'Name the hosts with --host, or add the inventory.',
    )
  }
  if (hosts === undefined) return { file, limit: limit ?? [] }
  throw new UsageError('--host cannot be used with --from-inventory.', 'Choose hosts of it with --limit.')
}

/** The way from the file to running APIs. */
const next = [
  ['trust', 'accept the SSH keys of the hosts'],
  ['check', 'look for problems on the hosts'],
  ['plan', 'show what would change'],
  ['install', 'install, and verify every login'],
] as const

const openText =
  'The APIs will listen on all addresses of the hosts. For loopback alone, remove the lines *-rest-api-address.'

function reason(outcome: Exclude<WriteOutcome, 'written'>, file: string): string {
  if (outcome === 'exists') {
    return `${file} already exists and was not changed.\nTo overwrite it: muster init --force ${file}\n`
  }
  const { message, fix } = writeProblem(outcome, { file, example: 'muster.yaml' })
  return `${message}\n${fix}\n`
}

/** Writes the schema that the first line of the file names; says why where that fails, for the file does without. */
async function schemaBeside(file: string, context: CommandContext): Promise<string> {
  const shown = join(dirname(file), 'muster.schema.json')
  try {
    await writeSchema(resolve(context.cwd, shown), shown)
    return `Wrote ${file}, and ${shown} for editors with the YAML language server.\n`
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return `Wrote ${file}, but not the schema for editors: ${error.message}\n`
  }
}

/** A file to write; its configuration where connections to its hosts can be tested. */
type Written = { readonly text: string; readonly config?: ClusterConfig; readonly isLocal?: true }

/** Makes the file of the options, of answers at a terminal, or the example. Throws a `UsageError`. */
async function contentOf(context: CommandContext, given: GivenAnswers): Promise<Written> {
  const { hosts, user = 'root', cluster = 'alpha', databases, inventory } = given
  if (inventory !== undefined) {
    const { fileFromInventory } = await import('./init/fileFromInventory.ts')
    return { text: await fileFromInventory(context, { ...given, ...inventory }) }
  }
  if (hosts === undefined) {
    if (given.user !== undefined || given.cluster !== undefined || databases !== undefined) {
      throw new UsageError('--host is missing.', 'Add --host db1=10.0.0.11, or leave the other options out.')
    }
    if (context.stdin.isTTY !== true) return { text: exampleFile() }
    const answers = await askAnswers(context)
    if ('localCluster' in answers) return { text: localFile(answers.localCluster), isLocal: true }
    const checked = checkStartingFile(context, answers)
    if ('text' in checked) return checked
    throw new UsageError(checked.message, checked.fix)
  }
  const answers = { cluster, hosts: parseHosts(hosts.join(',')), user, become: user !== 'root' }
  if (answers.hosts.length === 0)
    throw new UsageError('--host needs a host.', 'Write it as --host db1=10.0.0.11')
  const checked = checkStartingFile(context, { ...answers, ...(databases && { databases }) })
  if (
    'text' in checked &&
    isThisMachine(answers.hosts) &&
    given.user === undefined &&
    databases === undefined
  )
    return { text: localFile(cluster), isLocal: true }
  if ('text' in checked) return { text: checked.text }
  throw new UsageError(checked.message, checked.fix)
}

/**
 * Writes a starting file, for the owner alone to read (0600), and the schema for editors beside it; never over another
 * configuration without `force`. Nothing is written before the last answer.
 */
export async function init(options: {
  readonly context: CommandContext
  /** As the user typed it, relative to the working directory. */
  readonly file: string
  readonly force: boolean
  readonly given?: GivenAnswers
}): Promise<ExitCode> {
  const { context, file, force, given = {} } = options
  const path = resolve(context.cwd, file)
  const refused = (outcome: Exclude<WriteOutcome, 'written'>): ExitCode => {
    context.stderr.write(reason(outcome, file))
    return exitCodes.usage
  }
  // Before the first question.
  if (!force && fileExists(path)) return refused('exists')
  const { text, config, isLocal } = await answered(context, given)
  const outcome = await writeNewFile({ path, text, force })
  if (outcome !== 'written') return refused(outcome)
  const wrote = await schemaBeside(file, context)
  const named = file === 'muster.yaml' ? '' : ` ${file}`
  const isExample =
    config === undefined && isLocal !== true && given.hosts === undefined && given.inventory === undefined
  const width = textWidth(context.stdout)
  const own: readonly (readonly [string, string])[] = isExample
    ? [['validate', 'check the file'], ...next]
    : next.filter(([command]) => isLocal !== true || command !== 'trust')
  const steps = own.map(([command, does], index) => {
    const padded = `muster ${command}${named}`.padEnd('muster validate'.length + named.length)
    const start = `  ${index + (isExample ? 2 : 1)}. ${padded}   `
    const lines = wrap(does, { width, first: start, rest: ' '.repeat(start.length) })
    return `${lines.join('\n')}\n`
  })
  const first = isExample ? '  1. Put your hosts into it.\n' : ''
  const reach = text.includes('-rest-api-address: 0.0.0.0')
    ? wrap(openText, { width, first: '', rest: '' })
        .map((line) => `${line}\n`)
        .join('')
    : ''
  context.stdout.write(`${wrote}${reach}Next:\n${first}${steps.join('')}`)
  return exitCodes.ok
}

/** Returns the file to write, with the connections tested if somebody at a terminal wants it. */
async function answered(context: CommandContext, given: GivenAnswers): Promise<Written> {
  try {
    const content = await contentOf(context, given)
    if (content.config !== undefined && (await wantsTest(context))) {
      const { testConnections } = await import('./init/testConnections.ts')
      await testConnections(context, content.config)
    }
    return content
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    // The terminal stands behind the question and its ^C.
    context.stderr.write('\nNo file was written.\n')
    throw new Interrupted({ reported: true })
  }
}
