import { quote } from '../../base/shellWords.ts'
import { assignments } from './assignments.ts'
import type { Completes } from './completes.ts'
import { allCommands, type CompletedCommand } from './model.ts'
import { placesOf } from './places.ts'

const list = (words: readonly string[]): string => words.map(quote).join(' ')

type Branch = { readonly patterns: readonly string[]; readonly body: string }

/** Branches of a `case`, those that do the same as one. */
function branches(entries: readonly Branch[], indent = '    '): string {
  const byBody = new Map<string, readonly string[]>()
  for (const { patterns, body } of entries) byBody.set(body, [...(byBody.get(body) ?? []), ...patterns])
  return [...byBody]
    .filter(([, patterns]) => patterns.length > 0)
    .map(([body, patterns]) => `${indent}${patterns.join(' | ')}) ${body} ;;`)
    .join('\n')
}

/** The call that completes one word; `kept typed` are the arguments that it is given. */
function offer(name: string, completes: Completes, given: string): string {
  if (completes.kind === 'words') return `_${name}_offer ${given} ${list(completes.words)}`
  if (completes.kind === 'file') return `_${name}_files ${given}`
  return completes.kind === 'assignment' ? `_${name}_assign ${given}` : 'return'
}

function argumentBranches({ path, arguments: all }: CompletedCommand, name: string) {
  return all.map(({ completes, variadic }, index) => {
    const more = variadic ? [`${quote(`${path} `)}[0-9]*`] : []
    return { patterns: [quote(`${path} ${index}`), ...more], body: offer(name, completes, `'' "$cur"`) }
  })
}

const assigned = assignments
  .filter(({ values }) => values.length > 0)
  .map(({ name, values }) => ({ patterns: [quote(name)], values }))

/** A script for bash 3.2 and later that completes a program. */
export function bashScript(program: CompletedCommand): string {
  const { name } = program
  const all = allCommands(program)
  const { commands, values } = placesOf(program)
  const valued = values.map(({ place, completes }) => ({
    patterns: [quote(place)],
    body: offer(name, completes, '"$2" "$3"'),
  }))
  const flags = all.map(({ path, options }) => ({
    patterns: [quote(path)],
    body: `_${name}_offer '' "$cur" ${list(options.flatMap((one) => one.flags))}`,
  }))
  const words = all
    .filter((one) => one.commands.length > 0)
    .map((one) => ({
      patterns: [quote(`${one.path} 0`)],
      body: `_${name}_offer '' "$cur" ${list(one.commands.map((below) => below.name))}`,
    }))
  return `# Completion of ${name} for bash. Load it with: source <(${name} completion bash)

# Offers the words that begin with what is typed, $2; $1 stands before it in the same word.
_${name}_offer() {
  local kept=$1 typed=$2 word
  shift 2
  # Bash parts words at "=" and replaces only what follows the last one.
  case $COMP_WORDBREAKS in *=*) kept='' ;; esac
  for word; do
    case $word in "$typed"*) COMPREPLY+=("$kept$word") ;; esac
  done
  case \${COMPREPLY-} in *=) compopt -o nospace 2>/dev/null ;; esac
}

# Files are completed by readline itself, but for bash 3, which cannot be asked for it here.
_${name}_files() {
  local file
  compopt -o default 2>/dev/null && return
  while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$2")
}

# name=value, as --set takes it.
_${name}_assign() {
  case $2 in
    *=*) ;;
    *) _${name}_offer "$1" "$2" ${list(assignments.map((one) => `${one.name}=`))}; return ;;
  esac
  case \${2%%=*} in
${branches(assigned.map(({ patterns, values: known }) => ({ patterns, body: `_${name}_offer "$1\${2%%=*}=" "\${2#*=}" ${list(known)}` })))}
  esac
}

_${name}_value() {
  case $1 in
${branches(valued)}
  esac
}

_${name}() {
  local cur word path=${quote(name)} value='' literal='' place=0 count=0 i
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

  # Which command it is, how many arguments it has so far, and whether an option waits for its value.
  for ((i = 0; i < count - 1; i++)); do
    word=\${words[i]}
    if [[ -n $value ]]; then
      value=''
      continue
    fi
    case "$literal$path $word" in
${branches(
  [
    { patterns: values.map(({ place }) => quote(place)), body: 'value="$path $word"' },
    {
      patterns: commands.map(quote),
      body: 'if ((place == 0)); then path="$path $word"; else ((place++)); fi',
    },
  ],
  '      ',
)}
      "$path --") literal='-- ' ;;
      "$path -"*) ;;
      *) ((place++)) ;;
    esac
  done

  if [[ -n $value ]]; then
    _${name}_value "$value" '' "$cur"
    return
  fi
  if [[ -z $literal && $cur == --*=* ]]; then
    _${name}_value "$path \${cur%%=*}" "\${cur%%=*}=" "\${cur#*=}"
    return
  fi
  if [[ -z $literal && $cur == -* ]]; then
    case $path in
${branches(flags, '      ')}
    esac
    return
  fi
  case "$path $place" in
${branches(words)}
  esac
  case "$path $place" in
${branches(all.flatMap((one) => argumentBranches(one, name)))}
  esac
}

complete -F _${name} ${quote(name)}
`
}
