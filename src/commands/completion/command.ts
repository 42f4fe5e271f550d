import { Argument, type Command } from 'commander'
import type { World } from '../definitions/definition.ts'
import { type Shell, shells } from './shells.ts'

const installation = (name: string): string => `
Load it whenever the shell starts, so that it is always that of your ${name}:
  bash  echo 'source <(${name} completion bash)' >> ~/.bashrc
  zsh   echo 'source <(${name} completion zsh)' >> ~/.zshrc        (below compinit)
  fish  echo '${name} completion fish | source' > ~/.config/fish/completions/${name}.fish`

/** Makes of a command the one with which the program `name` completes itself in a shell. */
export function completionCommand(
  made: Command,
  { name, context, done }: World & { readonly name: string },
): Command {
  return made
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', installation(name))
    .action(async (shell: Shell) => {
      const { completion } = await import('../completion.ts')
      done(completion({ context, program: made.parent ?? made, shell }))
    })
}
