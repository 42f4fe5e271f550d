import { assignments } from './assignments.ts'
import type { Completes } from './completes.ts'
import { allCommands, type CompletedCommand, type CompletedOption } from './model.ts'
import { placesOf } from './places.ts'

/** One word of fish; inside single quotes only the backslash and the quote itself mean something. */
const quote = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`

const list = (words: readonly string[]): string => words.map(quote).join(' ')

/** What follows a flag or a place: no files unless they are meant. */
function offer(completes: Completes, name: string): string {
  if (completes.kind === 'words') return `-x -a ${quote(completes.words.join(' '))}`
  if (completes.kind === 'file') return '-r -F'
  return completes.kind === 'assignment' ? `-x -a '(__${name}_assign)'` : '-x'
}

function optionLine(option: CompletedOption, { path, name }: { path: string; name: string }): string {
  const flags = option.flags.map((flag) =>
    flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
  )
  const value = option.value === undefined ? [] : [offer(option.value, name)]
  return [
    `complete -c ${name} -n ${quote(`__${name}_at ${quote(path)}`)}`,
    ...flags,
    ...value,
    `-d ${quote(option.description)}`,
  ].join(' ')
}

function commandLines(command: CompletedCommand, name: string): readonly string[] {
  const { path } = command
  const at = (place: string): string =>
    `complete -c ${name} -n ${quote(`__${name}_at ${quote(path)} ${place}`)}`
  return [
    ...command.commands.map((one) => `${at('0')} -a ${quote(one.name)} -d ${quote(one.description)}`),
    ...command.arguments.flatMap(({ completes, variadic }, index) => {
      const place = variadic ? `${index} more` : String(index)
      if (completes.kind === 'words') return [`${at(place)} -a ${quote(completes.words.join(' '))}`]
      return completes.kind === 'file' ? [`${at(place)} -F`] : []
    }),
    ...command.options.map((option) => optionLine(option, { path, name })),
  ]
}

const names = assignments.map(
  ({ name, description }) => `            ${quote(`${name}=`)} ${quote(description)}`,
)

const known = assignments
  .filter(({ values }) => values.length > 0)
  .map(
    ({ name, values }) =>
      `        case ${quote(name)}\n            printf '%s\\n' ${list(values.map((value) => `${name}=${value}`))}`,
  )

/** A script for fish 3 that completes a program. */
export function fishScript(program: CompletedCommand): string {
  const { name } = program
  const all = allCommands(program)
  const { commands, values } = placesOf(program)
  return `# Completion of ${name} for fish. Load it with: ${name} completion fish | source

# Whether the words so far lead to the command $argv[1], which has $argv[2] arguments so far (or more: $argv[3]).
function __${name}_at
    set -l path ${quote(name)}
    set -l place 0
    set -l value ''
    set -l literal ''
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test -n "$value"
            set value ''
            continue
        end
        switch "$literal$path $word"
            case ${list(values.map(({ place }) => place))}
                set value $word
            case ${list(commands)}
                if test $place -eq 0
                    set path "$path $word"
                else
                    set place (math $place + 1)
                end
            case "$path --"
                set literal '-- '
            case "$path -*"
            case '*'
                set place (math $place + 1)
        end
    end
    test "$path" = "$argv[1]"; or return 1
    test -z "$argv[2]"; and return 0
    test $place -eq $argv[2]; and return 0
    test -n "$argv[3]"; and test $place -gt $argv[2]
end

# name=value, as --set takes it.
function __${name}_assign
    set -l typed (string replace -r '^--[a-z-]+=' '' -- (commandline -ct))
    if not string match -q '*=*' -- $typed
        printf '%s\\t%s\\n' \\
${names.join(' \\\n')}
        return
    end
    switch (string replace -r '=.*' '' -- $typed)
${known.join('\n')}
    end
end

complete -c ${name} -e
complete -c ${name} -f
${all.flatMap((command) => commandLines(command, name)).join('\n')}
`
}
