import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { loadCommand } from '../../../src/cli/cliCommand.ts'
import { type Shell, shells, stub } from '../../../src/cli/completion/stubs.ts'
import { muster, musterProgram } from '../../../src/commands/muster.ts'
import { tapi } from '../../../src/tapi/tapi.ts'
import { commandContext } from '../../config/commandContext.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { called, isThere, offers, type Session, syntaxErrors } from './shell.ts'

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** A program of this name on the PATH of a session. */
function addProgram(folder: string, { name, file }: { readonly name: string; readonly file: string }): void {
  const program = join(dirname(folder), 'bin', name)
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${file}' "$@"\n`)
  chmodSync(program, 0o755)
}

const hosts = `cluster: alpha
services: { alpha: { master: db1, members: [db1, db2] } }
hosts: { db1: { address: 10.0.0.1 }, db2: { address: 10.0.0.2 } }
`

async function session(shell: Shell, name: 'muster' | 'tapi' = 'muster'): Promise<Session> {
  const { context, out } = commandContext({})
  const program = { muster, tapi }[name]
  expect(await program({ argv: ['completion', shell], context })).toBe(0)
  return working(shell, out())
}

function working(shell: Shell, script: string): Session {
  const folder = join(temporaryFolder(), 'work')
  mkdirSync(join(folder, 'deeper'), { recursive: true })
  mkdirSync(join(dirname(folder), 'bin'))
  for (const name of ['muster', 'tapi']) {
    addProgram(folder, { name, file: pathOf(`../../../dist/${name}.js`) })
  }
  writeFileSync(join(folder, 'muster.yaml'), hosts)
  writeFileSync(join(folder, 'two words.yaml'), '')
  return { shell, script, folder }
}

function oddSession(shell: Shell): Session {
  const made = working(shell, stub(shell, 'odd-one'))
  const outfile = join(dirname(made.folder), 'oddProgram.cjs')
  buildSync({
    entryPoints: [pathOf('oddProgram.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
  })
  addProgram(made.folder, { name: 'odd-one', file: outfile })
  return made
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
  ['muster check --host ', ['db1', 'db2']],
  ['muster check --host=db', ['db1', 'db2']],
  ['muster validate --format=nonsen', []],
]

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

  it.skipIf(skipped)('has a script without syntax errors', async () => {
    expect(syntaxErrors(await session(shell))).toBe('')
    expect(syntaxErrors(oddSession(shell))).toBe('')
  })

  it.skipIf(skipped)('offers the possible words, and nothing else', async () => {
    const found = offers(
      await session(shell),
      cases.map(([line]) => line),
    )
    expect(cases.map(([line], index) => [line, found[index]])).toEqual(cases)
  })

  it.skipIf(skipped)('offers every command of the program, and every option of one', async () => {
    const { commands } = musterProgram({ context: commandContext({}).context, done: () => {} })
    const [command] = commands.filter((one) => one.name() === 'install')
    if (command !== undefined) await loadCommand(command)
    const [first, second] = offers(await session(shell), ['muster ', 'muster install --'])
    expect(first).toEqual(commands.map((one) => one.name()).sort())
    const long = command?.options.map((option) => option.long ?? '').filter((flag) => flag !== '') ?? []
    // Another name of --host.
    expect(second).toEqual([...long, '--limit', '--help'].sort())
  })

  it.skipIf(skipped)('works for tapi, too', async () => {
    const found = offers(
      await session(shell, 'tapi'),
      tapiCases.map(([line]) => line),
    )
    expect(tapiCases.map(([line], index) => [line, found[index]])).toEqual(tapiCases)
  })

  it.skipIf(skipped)('offers and prints nothing if the program fails or is missing', async () => {
    const made = await session(shell)
    const program = join(dirname(made.folder), 'bin', 'muster')
    writeFileSync(program, '#!/bin/sh\necho trouble >&2\nexit 1\n')
    expect(offers(made, ['muster ', 'muster val'])).toEqual([[], []])
    rmSync(program)
    expect(offers(made, ['muster '])).toEqual([[]])
  })

  it.skipIf(skipped)('handles special characters, and files and commands at the same place', () => {
    const found = offers(
      oddSession(shell),
      oddCases.map(([line]) => line),
    )
    expect(oddCases.map(([line], index) => [line, found[index]])).toEqual(oddCases)
  })
})

// Fish is asked for its offers themselves; these two complete only a line that is being typed.
describe.each(['bash', 'zsh'] as const)('the completion for %s', (shell) => {
  it.skipIf(!installed(shell))('is shown after TAB', async () => {
    const keys = 'muster valid\t --form\tjs\t --set log-l\tin\t tw\t'
    const words = called(await session(shell), 'muster', keys)
    const told = words.join(' ').replace('--format=', '--format ')
    expect(told).toBe('validate --format json --set log-level=info two words.yaml')
    expect(words).toContain('log-level=info')
    expect(words).toContain('two words.yaml')
  })
})
