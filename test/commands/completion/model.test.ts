import { Command, Option } from 'commander'
import { describe, expect, it } from 'vitest'
import { assignments } from '../../../src/commands/completion/assignments.ts'
import { allCommands, completionModel } from '../../../src/commands/completion/model.ts'
import { musterProgram } from '../../../src/commands/program.ts'
import { allOptions } from '../../../src/config/settings/options.ts'
import { spellings } from '../../../src/config/settings/setting.ts'
import { commandContext } from '../../config/commandContext.ts'

const muster = completionModel(musterProgram({ context: commandContext({}).context, done: () => {} }))

describe('what is completed of a program', () => {
  it('is what its help shows', () => {
    const program = new Command('x')
      .helpCommand(false)
      .configureHelp({ showGlobalOptions: true })
      .option('--everywhere', 'global')
    program
      .command('y')
      .description('does y')
      .argument('<file>')
      .option('-o, --out <file>', 'where to')
      .option('--maybe [word]', 'may stand alone')
      .addOption(new Option('--secret <word>').hideHelp())
    program.command('z', { hidden: true })
    const [first, ...others] = completionModel(program).commands
    expect(others).toEqual([])
    expect(first).toEqual({
      path: 'x y',
      name: 'y',
      description: 'does y',
      commands: [],
      arguments: [{ name: 'file', completes: { kind: 'file' }, variadic: false }],
      options: [
        { flags: ['-o', '--out'], description: 'where to', value: { kind: 'file' } },
        { flags: ['--maybe'], description: 'may stand alone' },
        { flags: ['-h', '--help'], description: 'display help for command' },
        { flags: ['--everywhere'], description: 'global' },
      ],
    })
  })

  it('knows what every argument of muster can be', () => {
    const unknown = allCommands(muster).flatMap(({ path, arguments: all }) =>
      all.filter(({ completes }) => completes.kind === 'anything').map(({ name }) => `${path} <${name}>`),
    )
    // A new name of an argument belongs into the table of completes.ts.
    expect(unknown).toEqual([])
  })

  it('has --set of every command that takes files', () => {
    const taking = allCommands(muster).filter(({ options }) =>
      options.some(({ flags }) => flags.includes('--set')),
    )
    expect(taking.map(({ name }) => name)).toContain('install')
    for (const { path, options } of taking) {
      const set = options.find(({ flags }) => flags.includes('--set'))
      expect(set?.value, path).toEqual({ kind: 'assignment' })
    }
  })

  it('has every option of the file under every spelling, with the values that can be listed', () => {
    expect(assignments.map(({ name }) => name)).toEqual(spellings(allOptions))
    const values = (name: string) => assignments.find((one) => one.name === name)?.values
    expect(values('log-level')).toEqual(['trace', 'debug', 'info', 'warn', 'error'])
    expect(values('manager-rest-api')).toEqual(['true', 'false'])
    expect(values('rest-api-admin-password')).toEqual(['-'])
    expect(values('manager-rest-api-port')).toEqual([])
    for (const { name, description } of assignments) expect(description, name).toMatch(/^[A-Z][^\n]*[^.]$/)
  })
})
