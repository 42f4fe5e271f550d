import { Argument, type Command } from 'commander'
import { exitCodes } from '../../cli/exitCodes.ts'
import type { World } from '../definitions/definition.ts'
import { type Shell, shells, stub } from './stubs.ts'

const installation = (name: string): string => `
Load it whenever the shell starts, so that it is always that of your ${name}:
  bash  echo 'source <(${name} completion bash)' >> ~/.bashrc
  zsh   echo 'source <(${name} completion zsh)' >> ~/.zshrc        (below compinit)
  fish  echo '${name} completion fish | source' > ~/.config/fish/completions/${name}.fish`

/** Makes of a command the one that prints with what a shell completes the program `name`. */
export function completionCommand(
  made: Command,
  { name, context, done }: World & { readonly name: string },
): Command {
  return made
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', installation(name))
    .action((shell: Shell) => {
      context.stdout.write(stub(shell, name))
      done(exitCodes.ok)
    })
}
