import { type Command, Option } from 'commander'
import { foldLines } from '../../base/wrapping.ts'
import type { CommandContext } from '../../cli/context.ts'
import type { ExitCode } from '../../cli/exitCodes.ts'
import type { ClusterOptions } from '../../session/openCluster.ts'
import type { Targets } from '../../session/selectTargets.ts'
import type { PassphraseOptions } from '../../session/unlocking.ts'
import { CliCommand } from '../cliCommand.ts'
import { connectionOption, hostOption, hostsGiven, serviceAndConnection } from './hostOption.ts'
import { several } from './several.ts'

/** What a command is given when the program is put together. */
export type World = {
  readonly context: CommandContext
  /** Takes the exit code of the command that ran. */
  readonly done: (code: ExitCode) => void
}

/** Some commands of the program. They import what they run only when they run: `--version` must be quick. */
export type Definition = (world: World) => readonly Command[]

/** A command whose output goes to the context's streams and whose wrong usage is an exception. */
export function command(name: string, description: string, { context }: World): Command {
  return new CliCommand(name)
    .description(description)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(foldLines(text, context.stdout.columns)),
      writeErr: (text) => context.stderr.write(text),
    })
}

/** Adds FILE… and --set. */
export const files = (made: Command): Command =>
  made
    .argument('[file...]', 'YAML files, merged in order; - is standard input')
    .addOption(
      new Option('--set <name=value>', 'set an option for every host; may be repeated').argParser(several),
    )
    .addHelpText('after', '\nThe default FILE is $MUSTER_FILE, else ./muster.yaml.')

/** The same for a command that reaches hosts: adds --host, --service, --connection and --ask-become-pass. */
export const reaching = (made: Command): Command => becoming(serviceAndConnection(hostOption(files(made))))

/** The same for a command that is for all hosts of the file or for none. */
export const reachingAll = (made: Command): Command => becoming(connectionOption(files(made)))

const becoming = (made: Command): Command =>
  made.option('--ask-become-pass', 'ask for the password of sudo on the hosts')

/** Adds where the passphrase of the authority's key comes from, for a command that may have to sign. */
export const signing = (made: Command): Command =>
  made
    .option('--authority-passphrase-file <file>', "file with the passphrase of the authority's key")
    .option('--authority-passphrase-stdin', "read the passphrase of the authority's key from standard input")

/** What a command that reaches hosts was given; undefined for one that reaches none. */
function targetsOf(made: Command): Targets | undefined {
  if (!made.options.some(({ long }) => long === '--connection')) return undefined
  const { service = [], connection } = made.opts<{ service?: string[]; connection?: 'ssh' | 'local' }>()
  return { hosts: hostsGiven(made), services: service, ...(connection && { connection }) }
}

/** Runs `run` with the files, --set and targets of the command line. */
export function runsOnFiles(
  made: Command,
  world: World,
  run: (options: ClusterOptions, made: Command) => Promise<ExitCode>,
): Command {
  return made.action(async () => {
    const { set = [], askBecomePass = false } = made.opts<{ set?: string[]; askBecomePass?: boolean }>()
    const { authorityPassphraseFile, authorityPassphraseStdin } = made.opts<PassphraseOptions>()
    const targets = targetsOf(made)
    const takesHost = made.options.some(({ long }) => long === '--host')
    const given = {
      files: made.args,
      set,
      askBecomePass,
      authorityPassphraseFile,
      authorityPassphraseStdin,
      takesHost,
      ...(targets && { targets }),
    }
    world.done(await run({ context: world.context, ...given }, made))
  })
}

/** Whether an option without a value was given, by its name in camel case. */
export const flag = (made: Command, name: string): boolean =>
  made.opts<Record<string, unknown>>()[name] === true
