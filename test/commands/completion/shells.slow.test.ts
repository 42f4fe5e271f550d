import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Argument, Command, Option } from 'commander'
import { describe, expect, it } from 'vitest'
import { type Shell, shells } from '../../../src/commands/completion/shells.ts'
import { completion } from '../../../src/commands/completion.ts'
import { musterProgram } from '../../../src/commands/program.ts'
import { tapi } from '../../../src/commands/tapi/program.ts'
import { commandContext } from '../../config/commandContext.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { called, isThere, offers, type Session, syntaxErrors } from './shell.ts'

const world = () => ({ context: commandContext({}).context, done: () => {} })

function session(shell: Shell, program = musterProgram(world())): Session {
  const { context, out } = commandContext({})
  completion({ context, program, shell })
  return working(shell, out())
}

function working(shell: Shell, script: string): Session {
  const folder = join(temporaryFolder(), 'work')
  mkdirSync(join(folder, 'deeper'), { recursive: true })
  writeFileSync(join(folder, 'muster.yaml'), '')
  writeFileSync(join(folder, 'two words.yaml'), '')
  return { shell, script, folder }
}

const levels = ['debug', 'error', 'info', 'trace', 'warn']

/** Lines at whose end TAB is pressed, and what is offered there. */
const cases: readonly (readonly [string, readonly string[]])[] = [
  ['muster val', ['validate']],
  ['muster state ', ['export', 'import']],
  ['muster state ex', ['export']],
  ['muster validate --stri', ['--strict']],
  ['muster validate muster.yaml --stri', ['--strict']],
  ['muster validate --format js', ['json']],
  ['muster validate --format=js', ['json']],
  ['muster validate --set log-l', ['log-level']],
  ['muster validate --set=log-l', ['log-level']],
  ['muster validate --set log-level=', levels],
  ['muster validate --set=log-level=', levels],
  ['muster validate --set runtime=u', ['upload']],
  ['muster validate --set manager-rest-api=', ['false', 'true']],
  ['muster validate --set rest-api-admin-pass=', ['-']],
  ['muster validate --set log-level=info --set runti', ['runtime']],
  ['muster validate mus', ['muster.yaml']],
  ['muster validate --set log-level=info --strict dee', ['deeper']],
  ['muster validate other.yaml mus', ['muster.yaml']],
  ['muster validate -- --strict mus', ['muster.yaml']],
  ['muster validate state mus', ['muster.yaml']],
  ['muster state export --out mus', ['muster.yaml']],
  ['muster state export --out x.state dee', ['deeper']],
  ['muster completion ', [...shells].sort()],
  ['muster explain log-le', ['log-level']],
  ['muster explain unknown-opt', ['unknown-option']],
  ['muster schema mus', []],
  ['muster schema --out mus', ['muster.yaml']],
  ['muster nonsense mus', []],
]

/** A program whose words try the quoting of every shell, with files and commands at one place. */
function oddProgram(): Command {
  const odd = `it's "50%" \\ of $HOME, \`id\` [a:b] {c} <d>; e`
  const below = new Command('below').description(odd).option('--flag', odd).argument('<file>', odd)
  const both = new Command('both')
    .description(odd)
    .helpCommand(false)
    .argument('[file...]', odd)
    .addOption(new Option('-c, --choice <word>', odd).choices(['one', 'two']))
    .option('--any <thing>', odd)
    .addCommand(below)
  const hidden = new Command('hidden')
  const choose = new Command('choose').addArgument(new Argument('<first>').choices(['red', 'green']))
  return new Command('odd-one')
    .helpCommand(false)
    .addCommand(both)
    .addCommand(choose)
    .addCommand(hidden, { hidden: true })
}

const oddCases: readonly (readonly [string, readonly string[]])[] = [
  ['odd-one ', ['both', 'choose']],
  ['odd-one both ', ['below', 'deeper', 'muster.yaml', 'two words.yaml']],
  ['odd-one both muster.yaml ', ['deeper', 'muster.yaml', 'two words.yaml']],
  ['odd-one both muster.yaml --cho', ['--choice']],
  ['odd-one both -c ', ['one', 'two']],
  ['odd-one both --any x --choice t', ['two']],
  ['odd-one both --any ', []],
  ['odd-one both below --fl', ['--flag']],
  ['odd-one both below mus', ['muster.yaml']],
  ['odd-one both below --flag muster.yaml mus', []],
  ['odd-one choose r', ['red']],
]

const tapiCases: readonly (readonly [string, readonly string[]])[] = [
  ['tapi pi', ['ping']],
  ['tapi --host ping --component m', ['manager']],
  ['tapi --host db1 ping --component=r', ['replicator']],
  ['tapi --password-file mus', ['muster.yaml']],
  ['tapi --host db1 create-admin-user --new-password-file mus', ['muster.yaml']],
  ['tapi --host db1 get mus', []],
  ['tapi --host db1 post --i-am', ['--i-am-sure']],
  ['tapi conn', ['connector']],
  ['tapi connector on', ['onhold', 'online']],
  ['tapi --all connector offline --imm', ['--immediate']],
  ['tapi datasource ', ['offline', 'online', 'ping', 'recover', 'shun', 'status', 'welcome']],
  ['tapi datasource shun db1 --serv', ['--service']],
  ['tapi policy ma', ['maintenance', 'manual']],
  ['tapi map set mus', ['muster.yaml']],
]

// Zsh shows what it completes only on a terminal, which script(1) of util-linux makes.
const installed = (shell: Shell): boolean => isThere(shell) && (shell === 'fish' || isThere('script'))

describe.each(shells)('the completion for %s', (shell) => {
  const skipped = !installed(shell)

  it.skipIf(skipped)('is a script without mistakes', () => {
    expect(syntaxErrors(session(shell))).toBe('')
    expect(syntaxErrors(session(shell, oddProgram()))).toBe('')
  })

  it.skipIf(skipped)('offers what can stand there, and nothing else', () => {
    const found = offers(
      session(shell),
      cases.map(([line]) => line),
    )
    expect(cases.map(([line], index) => [line, found[index]])).toEqual(cases)
  })

  it.skipIf(skipped)('offers every command of the program and every option of each', () => {
    const { commands } = musterProgram(world())
    const [first, ...others] = offers(session(shell), [
      'muster ',
      ...commands.map((command) => `muster ${command.name()} --`),
    ])
    expect(first).toEqual(commands.map((command) => command.name()).sort())
    for (const [index, command] of commands.entries()) {
      const long = command.options.map((option) => option.long ?? '').filter((flag) => flag !== '')
      expect(others[index], command.name()).toEqual([...long, '--help'].sort())
    }
  })

  it.skipIf(skipped)('is there for tapi, too', async () => {
    const { context, out } = commandContext({})
    expect(await tapi({ argv: ['completion', shell], context })).toBe(0)
    const found = offers(
      working(shell, out()),
      tapiCases.map(([line]) => line),
    )
    expect(tapiCases.map(([line], index) => [line, found[index]])).toEqual(tapiCases)
  })

  it.skipIf(skipped)('is not confused by odd words, nor by files and commands at one place', () => {
    const found = offers(
      session(shell, oddProgram()),
      oddCases.map(([line]) => line),
    )
    expect(oddCases.map(([line], index) => [line, found[index]])).toEqual(oddCases)
  })
})

// Fish is asked for its offers themselves; these two complete only a line that is being typed.
describe.each(['bash', 'zsh'] as const)('the completion for %s', (shell) => {
  it.skipIf(!installed(shell))('comes when somebody presses TAB', () => {
    const keys = 'muster valid\t --form\tjs\t --set log-l\tin\t tw\t'
    const words = called(session(shell), 'muster', keys)
    const told = words.join(' ').replace('--format=', '--format ')
    expect(told).toBe('validate --format json --set log-level=info two words.yaml')
    expect(words).toContain('log-level=info')
    expect(words).toContain('two words.yaml')
  })
})
