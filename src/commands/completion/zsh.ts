import { assignments } from './assignments.ts'
import type { Completes } from './completes.ts'
import { allCommands, type CompletedCommand, type CompletedOption } from './model.ts'

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A text inside an entry of zsh's lists, whose parts colons divide. */
const part = (text: string): string => text.replaceAll(/[\\:]/g, '\\$&')

const functionOf = (path: string): string => `_${path.replaceAll(/[^A-Za-z0-9]/g, '_')}`

/** What zsh is to do at a place: the last part of a specification of _arguments. */
function action(completes: Completes, name: string): string {
  if (completes.kind === 'words') return `(${completes.words.join(' ')})`
  if (completes.kind === 'file') return '_files'
  return completes.kind === 'assignment' ? `${functionOf(name)}__assign` : ''
}

/** The specifications of an option, one for each flag; only an option with a value may stand twice. */
function optionSpecifications(
  { flags, description, value }: CompletedOption,
  name: string,
): readonly string[] {
  const told = `[${description.replaceAll(/[\\[\]]/g, '\\$&')}]`
  if (value === undefined) return flags.map((flag) => `(${flags.join(' ')})${flag}${told}`)
  return flags.map((flag) => {
    const joined = flag.startsWith('--') ? '=' : '+'
    return `*${flag}${joined}${told}:value:${action(value, name)}`
  })
}

function argumentSpecifications(command: CompletedCommand, name: string): readonly string[] {
  return command.arguments.map((one, index) => {
    const place = one.variadic ? '*' : String(index + 1)
    return `${place}:${part(one.name)}:${action(one.completes, name)}`
  })
}

/** The lines of a call of _arguments. */
const call = (words: readonly string[], specifications: readonly string[]): string =>
  [...words, ...specifications.map(quote)].join(' \\\n    ')

const described = (entries: readonly { readonly name: string; readonly description: string }[]): string =>
  entries.map(({ name, description }) => `    ${quote(`${part(name)}:${description}`)}`).join('\n')

/** The function of a command that has no others below it, or of its own arguments where it has. */
function leaf(command: CompletedCommand, name: string): string {
  const options = command.options.flatMap((option) => optionSpecifications(option, name))
  return `${call(['_arguments', '-s'], [...options, ...argumentSpecifications(command, name)])}`
}

function branch(command: CompletedCommand, name: string): string {
  const own = functionOf(command.path)
  const options = command.options.flatMap((option) => optionSpecifications(option, name))
  const [first] = command.arguments
  const also =
    first === undefined
      ? ''
      : `\n      _alternative ${quote(`arguments:${part(first.name)}:${action(first.completes, name)}`)} && ret=0`
  return `  local curcontext=$curcontext state ret=1
  local -a line commands
  commands=(
${described(command.commands)}
  )
  ${call(['_arguments', '-C', '-s'], [...options, '1: :->first', '*:: :->rest'])} && ret=0
  case $state in
    first)
      _describe -t commands command commands && ret=0${also} ;;
    rest)
      case $words[1] in
${command.commands.map((one) => `        ${quote(one.name)}) ${functionOf(one.path)} && ret=0 ;;`).join('\n')}
${first === undefined ? '' : `        *) ${own}__arguments && ret=0 ;;\n`}      esac ;;
  esac
  return ret`
}

function functions(command: CompletedCommand, name: string): string {
  const own = functionOf(command.path)
  if (command.commands.length === 0) return `${own}() {\n  ${leaf(command, name)}\n}\n`
  const made = `${own}() {\n${branch(command, name)}\n}\n`
  return command.arguments.length === 0
    ? made
    : `${made}\n${own}__arguments() {\n  ${leaf(command, name)}\n}\n`
}

const known = assignments
  .filter(({ values }) => values.length > 0)
  .map(({ name, values }) => `      ${quote(name)}) compadd -- ${values.map(quote).join(' ')} ;;`)

/** A script for zsh 5 that completes a program: to be sourced, or as a file of $fpath. */
export function zshScript(program: CompletedCommand): string {
  const { name } = program
  const own = functionOf(name)
  return `#compdef ${name}
# Completion of ${name} for zsh. Load it after compinit, with: source <(${name} completion zsh)

# name=value, as --set takes it.
${own}__assign() {
  local -a names
  if compset -P '*='; then
    case \${\${IPREFIX%=}##*=} in
${known.join('\n')}
    esac
    return
  fi
  names=(
${described(assignments)}
  )
  _describe -t settings setting names -q -S =
}

${allCommands(program)
  .map((command) => functions(command, name))
  .join('\n')}
# As a file of $fpath this is the body of the function itself.
if [[ $funcstack[1] == ${own} ]]; then
  ${own} "$@"
else
  compdef ${own} ${name}
fi
`
}
