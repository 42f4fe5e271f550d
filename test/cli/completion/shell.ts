import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Shell } from '../../../src/cli/completion/stubs.ts'

/**
 * A shell with a completion script loaded, working in `folder`; what it needs itself lies in the folder above, the
 * programs that it calls in `bin` beside it.
 */
export type Session = { readonly shell: Shell; readonly script: string; readonly folder: string }

const environment = (home: string) => ({
  PATH: `${join(home, 'bin')}:${process.env.PATH ?? '/usr/bin:/bin'}`,
  HOME: home,
  XDG_CONFIG_HOME: home,
  ZDOTDIR: home,
  INPUTRC: '/dev/null',
  TERM: 'xterm',
  LC_ALL: 'C.UTF-8',
})

/** Whether the program is there, asked for its version. */
export function isThere(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}

function save({ shell, script, folder }: Session): string {
  const file = join(dirname(folder), `script.${shell}`)
  writeFileSync(file, script)
  return file
}

/** What the shell says against the script without running it; empty when nothing. */
export function syntaxErrors(session: Session): string {
  const file = save(session)
  const { stdout, stderr } = spawnSync(session.shell, ['-n', file], { encoding: 'utf8' })
  return stdout + stderr
}

const separator = '--next--'

const parts = (text: string): readonly (readonly string[])[] =>
  text
    .split(`${separator}\n`)
    .slice(1)
    .map((part) => part.split('\n').filter((line) => line !== ''))

/** How bash parts a line into words: at spaces and around "=". */
function bashWords(line: string): readonly string[] {
  const words = line.split(' ').flatMap((word) => word.split(/(=)/).filter((piece) => piece !== ''))
  return line.endsWith(' ') ? [...words, ''] : words
}

const bashWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function bashOffers(session: Session, lines: readonly string[]): string {
  const asked = lines.map((line) => {
    const words = bashWords(line)
    return `COMP_WORDS=(${words.map(bashWord).join(' ')}); COMP_CWORD=${words.length - 1}
COMP_LINE=${bashWord(line)}; COMP_POINT=${line.length}
_${words[0]}; echo ${separator}; printf '%s\\n' "\${COMPREPLY[@]}"`
  })
  const text = `COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'\nsource ${bashWord(save(session))}\n${asked.join('\n')}\n`
  return run(session, ['--noprofile', '--norc', '-c', text])
}

function fishOffers(session: Session, lines: readonly string[]): string {
  const file = save(session)
  const asked = lines.map((line) => `echo ${separator}; complete -C '${line}'`)
  const text = run(session, ['--no-config', '-c', `source '${file}'\n${asked.join('\n')}\n`])
  return text.replaceAll(/\t.*$/gm, '')
}

/** Zsh completes only where somebody types, so what it adds to its list is written down beside. */
function zshOffers(session: Session, lines: readonly string[]): string {
  const file = save(session)
  const noted = join(dirname(session.folder), 'offers')
  const programs = [...new Set(lines.map((line) => line.split(' ')[0] ?? ''))]
  writeFileSync(
    join(dirname(session.folder), '.zshrc'),
    `autoload -Uz compinit; compinit -u -D
source '${file}'
next() { print -r -- '${separator}' >> '${noted}' }
${programs.map((name) => `${name}() { }`).join('\n')}
compadd() {
  local -a hits
  if [[ -z \${argv[(r)-[OAD]]} ]]; then
    builtin compadd -O hits "$@"
    print -rl -- $hits >> '${noted}'
  fi
  builtin compadd "$@"
}
`,
  )
  writeFileSync(noted, '')
  const keys = lines.map((line) => `next\n${line}\t\n`).join('')
  const shown = pressed(session, 'zsh -d -i', `${keys}exit\n`)
  if (shown.includes('trouble')) throw new Error(shown)
  return readFileSync(noted, 'utf8')
}

/** Throws where the shell says something beside its offers. */
function run({ shell, folder }: Session, args: readonly string[]): string {
  const env = environment(dirname(folder))
  const { stdout, stderr } = spawnSync(shell, [...args], { cwd: folder, env, encoding: 'utf8' })
  if (stderr !== '') throw new Error(stderr)
  return stdout
}

/** What the terminal shows. */
function pressed({ folder }: Session, command: string, keys: string): string {
  return execFileSync('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: environment(dirname(folder)),
    input: keys,
    stdio: ['pipe', 'pipe', 'ignore'],
    encoding: 'utf8',
  })
}

/** One form for what shells write differently: name=value or the value alone, name= or the name, `\\ ` or a space. */
const plain = (word: string): string =>
  word
    .replace(/^.*=(?=.)/, '')
    .replace(/[/=]$/, '')
    .replaceAll('\\ ', ' ')

/** What the shell offers at the end of each line, in order of the alphabet; of name=value the part that is offered. */
export function offers(session: Session, lines: readonly string[]): readonly (readonly string[])[] {
  const asked = { bash: bashOffers, zsh: zshOffers, fish: fishOffers }[session.shell]
  return parts(asked(session, lines)).map((words) => [...new Set(words.map(plain))].sort())
}

/** The words that `name` is called with when somebody types these keys and Enter, TAB being \t. */
export function called(session: Session, name: string, keys: string): readonly string[] {
  const file = save(session)
  const noted = join(dirname(session.folder), 'called')
  const start = `source '${file}'\n${name}() { printf '%s\\n' "$@" > '${noted}'; }\n`
  const compinit = session.shell === 'zsh' ? 'autoload -Uz compinit; compinit -u -D\n' : ''
  const rc = join(dirname(session.folder), session.shell === 'zsh' ? '.zshrc' : 'bashrc')
  writeFileSync(rc, compinit + start)
  writeFileSync(noted, '')
  pressed(
    session,
    session.shell === 'zsh' ? 'zsh -d -i' : `bash --noprofile --rcfile '${rc}' -i`,
    `${keys}\nexit\n`,
  )
  return readFileSync(noted, 'utf8').split('\n').slice(0, -1)
}
