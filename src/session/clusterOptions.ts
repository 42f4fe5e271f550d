import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { CliCommand } from '../cli/cliCommand.ts'
import { collectValues, type World } from '../cli/command.ts'
import { parseCountOption } from '../cli/optionValues.ts'
import { fileExists, looksLikeHost } from '../cli/readConfigFiles.ts'
import { type Component, components } from '../contracts/component.ts'
import { maxParallelHosts } from '../deployment/mapHosts.ts'
import type { PassphraseOptions } from './authorityPassphrase.ts'
import type { ClusterOptions } from './openCluster.ts'
import type { Targets } from './selectTargets.ts'
import { parseShard, type Shard } from './shard.ts'

/** Adds FILE… and --set. */
export const fileArguments = <Made extends CliCommand>(made: Made): Made =>
  made
    .argument('[file...]', 'YAML files, merged in order; - is standard input')
    .addOption(
      new Option('--set <name=value>', 'set an option for every host; may be repeated').argParser(
        collectValues,
      ),
    )
    .note('The default FILE is $MUSTER_FILE, else ./muster.yaml.')

/** Adds FILE…, --set, --host, --shard, --service, --connection, --ask-become-pass and --forks. */
export const targetOptions = <Made extends CliCommand>(made: Made): Made =>
  forksOption(becomeOption(serviceAndConnectionOptions(shardOption(hostOption(fileArguments(made))))))

/** Adds what `targetOptions` adds, without a choice of hosts. */
export const allHostsOptions = <Made extends CliCommand>(made: Made): Made =>
  forksOption(becomeOption(connectionOption(fileArguments(made))))

/** Adds --forks; the context of the command that runs has its value. */
const forksOption = <Made extends Command>(made: Made): Made =>
  made.addOption(
    new Option(
      '--forks <number>',
      `work on this many hosts at a time, at most ${mostForks} (default: ${maxParallelHosts})`,
    ).argParser((text: string) => parseCountOption(text, { option: 'forks', max: mostForks })),
  )

const mostForks = 500

const becomeOption = <Made extends Command>(made: Made): Made =>
  made.option('--ask-become-pass', 'ask for the sudo password of the hosts')

export const hostOption = <Made extends Command>(made: Made): Made =>
  made.addOption(
    new Option(
      '--limit, --host <glob>',
      "only these hosts, such as db1,db2 or 'db[1-3]' or '!db3'; may be repeated",
    ).argParser(collectValues),
  )

export const hostsGiven = (made: Command): readonly string[] => made.opts<{ host?: string[] }>().host ?? []

/** Adds --shard, for a command that takes --host and reaches or writes something for each host. */
export const shardOption = <Made extends Command>(made: Made): Made =>
  made.addOption(
    new Option(
      '--shard <k/n>',
      'only part k of n of these hosts, such as 2/5; the name of a host decides, on every machine alike',
    ).argParser(parseShard),
  )

const connectionOption = <Made extends Command>(made: Made): Made =>
  made.addOption(
    new Option('--connection <way>', 'connect this way, overriding the file').choices(['ssh', 'local']),
  )

export const serviceAndConnectionOptions = <Made extends Command>(made: Made): Made =>
  connectionOption(
    made.addOption(
      new Option('--service <glob>', 'only hosts of these services; may be repeated').argParser(
        collectValues,
      ),
    ),
  )

export const componentOption = <Made extends Command>(made: Made): Made =>
  made.addOption(
    new Option('--component <component>', 'only this component, on hosts that have it').choices(components),
  )

export const componentGiven = (made: Command): Component | undefined =>
  made.opts<{ component?: Component }>().component

/** Adds the sources of the passphrase of the authority's key, for a command that may have to sign. */
export const passphraseOptions = <Made extends Command>(made: Made): Made =>
  made
    .option('--authority-passphrase-file <file>', "file with the passphrase of the authority's key")
    .option('--authority-passphrase-stdin', "read the passphrase of the authority's key from standard input")

/** Returns undefined for a command that reaches no host. */
function targetsOf(made: Command): Targets | undefined {
  if (!made.options.some(({ long }) => long === '--connection')) return undefined
  return targetsGiven(made)
}

/** Returns the hosts that the options of a command choose. */
export function targetsGiven(made: Command): Targets {
  const {
    service = [],
    shard,
    connection,
  } = made.opts<{ service?: string[]; shard?: Shard; connection?: 'ssh' | 'local' }>()
  return {
    hosts: hostsGiven(made),
    services: service,
    ...(shard && { shard }),
    ...(connection && { connection }),
    ...(changesHosts(made) && { proposesNone: true }),
  }
}

/** Returns true for a command that asks before it changes hosts, and for `exec`, which runs what it is given. */
const changesHosts = (made: Command): boolean =>
  made.name() === 'exec' || made.options.some(({ long }) => long === '--yes')

/** Sets the action of a command: `run` gets the files, --set and the targets of the command line. */
export const runOnFiles = (
  made: CliCommand,
  world: World,
  run: (options: ClusterOptions, made: CliCommand) => Promise<number>,
): CliCommand =>
  made.action(async () => {
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

/**
 * As `runOnFiles`, where an argument that names no file and can be the name of a host limits the command to that host,
 * as --host does.
 */
export const runOnFilesOrHosts = (
  made: CliCommand,
  world: World,
  run: (options: ClusterOptions, made: CliCommand) => Promise<number>,
): CliCommand =>
  runOnFiles(made, world, (options) => {
    const { cwd } = world.context
    const hosts = options.files.filter((file) => looksLikeHost(file) && !fileExists(resolve(cwd, file)))
    const { targets } = options
    if (hosts.length === 0 || targets === undefined) return run(options, made)
    const files = options.files.filter((file) => !hosts.includes(file))
    return run({ ...options, files, targets: { ...targets, hosts: [...targets.hosts, ...hosts] } }, made)
  })
