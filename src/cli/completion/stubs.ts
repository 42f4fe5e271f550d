import { Argument } from 'commander'
import { wrap } from '../../base/wrapping.ts'
import type { CliCommand } from '../cliCommand.ts'
import type { World } from '../command.ts'
import { exitCodes } from '../exitCodes.ts'
import { writeFileTo } from '../terminal.ts'
import { completeWord } from './complete.ts'

export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]

/** Returns the script by which a shell asks the program `name` for candidates; it hides all errors. */
export const stub = (shell: Shell, name: string): string => stubs[shell](name)

const bash = (
  name: string,
): string => `# Completion of ${name} for bash. Load it with: source <(${name} completion bash)
_${name}() {
  local word cur prefix='' count=0 i
  local -a words
  COMPREPLY=()
  # What bash has parted at "=" is one word again, unless a space stands between.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if ((count > 0)) && [[ $word == '='* || \${COMP_WORDS[i - 1]} == '='* ]] &&
      ! [[ -z $word && \${COMP_LINE:0:COMP_POINT} == *' ' ]]; then
      words[count - 1]+=$word
    else
      words[count++]=$word
    fi
  done
  cur=\${words[count - 1]}
  # Bash replaces only what follows the last "=".
  case $COMP_WORDBREAKS in *=*) prefix=\${cur%"\${cur##*=}"} ;; esac
  while IFS= read -r word; do
    case $word in
      # Readline completes files itself, but bash 3 cannot ask it to.
      :files) compopt -o default 2>/dev/null ||
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "\${cur#"$prefix"}") ;;
      :nospace) compopt -o nospace 2>/dev/null ;;
      :words) ;;
      "$cur"*) word=\${word%%$'\\t'*} && COMPREPLY+=("\${word#"$prefix"}") ;;
    esac
  done < <(command ${name} ${completeWord} "\${words[@]}" 2>/dev/null </dev/null)
}
complete -F _${name} ${name}
`

const zsh = (name: string): string => `#compdef ${name}
# Completion of ${name} for zsh. Load it after compinit, with: source <(${name} completion zsh)
_${name}() {
  local kind prefix=\${PREFIX%"\${PREFIX##*=}"} ret=1
  local -a before answer space
  before=("\${(@Q)words[2,CURRENT-1]}")
  answer=("\${(@f)$(command ${name} ${completeWord} "\${before[@]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  kind=$answer[-1]
  answer=("\${(@)\${(@)answer[1,-2]#"$prefix"}/$'\\t'/:}")
  [[ $kind == :nospace ]] && space=(-S '')
  compset -p \${#prefix}
  [[ $kind == :files ]] && _files && ret=0
  _describe -t values value answer "\${space[@]}" && ret=0
  return ret
}
# As a file of $fpath this is the body of the function itself.
if [[ $funcstack[1] == _${name} ]]; then
  _${name} "$@"
else
  compdef _${name} ${name}
fi
`

const fish = (
  name: string,
): string => `# Completion of ${name} for fish. Load it with: ${name} completion fish | source
function __${name}_complete
    command -sq ${name}; or return
    set -l typed (commandline -ct)
    set -l before (commandline -opc)
    set -e before[1]
    set -l answer (command ${name} ${completeWord} $before "$typed" 2>/dev/null </dev/null)
    set -q answer[1]; or return
    if test $answer[-1] = :files
        # Behind --option= the file alone is completed.
        set -l prefix (string match -r '^--[^=]*=|^' -- $typed)
        for file in (__fish_complete_path (string replace -r '^--[^=]*=' '' -- $typed))
            printf '%s%s\\n' "$prefix" $file
        end
    end
    set -e answer[-1]
    printf '%s\\n' $answer
end
complete -c ${name} -e
complete -c ${name} -f -a '(__${name}_complete)'
`

const stubs = { bash, zsh, fish } as const

/** Lines that are copied as they stand: they must fit a narrow terminal. */
const installation = (name: string, width: number): readonly string[] => [
  ...wrap(
    'Add the line of your shell to ~/.bashrc, to ~/.zshrc below compinit, or to ~/.config/fish/config.fish:',
    { width, first: '', rest: '' },
  ),
  `  bash  source <(${name} completion bash)`,
  `  zsh   source <(${name} completion zsh)`,
  `  fish  ${name} completion fish | source`,
]

/** Defines the command that prints the completion script of the program `name`. */
export const completionCommand =
  (name: string) =>
  (made: CliCommand, { context, done }: World): CliCommand =>
    made
      .addArgument(new Argument('<shell>', 'the shell').choices(shells))
      .note((width) => installation(name, width))
      .action((shell: Shell) => {
        writeFileTo(context.stdout, stub(shell, name))
        done(exitCodes.ok)
      })
