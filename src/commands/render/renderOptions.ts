import { resolve } from 'node:path'
import { Option } from 'commander'
import type { CliCommand } from '../../cli/cliCommand.ts'
import { flag, type World } from '../../cli/command.ts'
import type { ExitCode } from '../../cli/exitCodes.ts'
import type { Architecture } from '../../deployment/runtime/pinnedRuntime.ts'
import {
  fileArguments,
  hostOption,
  passphraseOptions,
  runOnFiles,
  shardOption,
  targetsGiven,
} from '../../session/clusterOptions.ts'
import type { RenderOptions } from '../../session/render/renderCluster.ts'
import {
  replacedGiven,
  replacedOption,
  runtimeFileGiven,
  runtimeFileOption,
} from '../../session/runOptions.ts'

/** Options of every command of `muster render`. */
export type EngineOptions = RenderOptions & {
  /** Folder to write to, as given and absolute. */
  readonly out: string
  readonly folder: string
  /** Overwrites what an earlier run wrote. */
  readonly force: boolean
}

/** Defines a command of `muster render`: adds what all of them have, and runs it. */
export const renderDefinition = (
  made: CliCommand,
  world: World,
  run: (options: EngineOptions) => Promise<ExitCode>,
): CliCommand =>
  runOnFiles(
    passphraseOptions(replacedOption(runtimeFileOption(shardOption(hostOption(fileArguments(made))))))
      .requiredOption('--out <dir>', 'folder to write to')
      .option('--force', 'overwrite what an earlier run wrote there')
      .addOption(
        new Option('--arch <processor>', 'processor of the hosts').choices(['x64', 'arm64']).default('x64'),
      )
      .note(
        'No host is reached. Certificates and passwords are those of `muster install`, kept in the state directory.',
      ),
    world,
    (options) => {
      const { out, arch } = made.opts<{ out: string; arch: Architecture }>()
      return run({
        ...options,
        targets: targetsGiven(made),
        architecture: arch,
        runtimeFile: runtimeFileGiven(made),
        replaced: replacedGiven(made),
        out,
        folder: resolve(options.context.cwd, out),
        force: flag(made, 'force'),
      })
    },
  )

/** Adds --recipients, for an engine that seals the secrets of each host. */
export const recipientsOption = <Made extends CliCommand>(made: Made): Made =>
  made.option(
    '--recipients <file>',
    'file with a line `HOST: age1…` for each host; without it, keys are made',
  )

export const recipientsGiven = (made: CliCommand): string | undefined =>
  made.opts<{ recipients?: string }>().recipients
