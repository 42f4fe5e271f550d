import type { Command } from 'commander'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { bashScript } from './completion/bash.ts'
import { fishScript } from './completion/fish.ts'
import { completionModel } from './completion/model.ts'
import type { Shell } from './completion/shells.ts'
import { zshScript } from './completion/zsh.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

/** Prints the script with which a shell completes `program`, made of its commands as they are. */
export function completion(options: {
  readonly context: CommandContext
  readonly program: Command
  readonly shell: Shell
}): ExitCode {
  const { context, program, shell } = options
  context.stdout.write(scripts[shell](completionModel(program)))
  return exitCodes.ok
}
