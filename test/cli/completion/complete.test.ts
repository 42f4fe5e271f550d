import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { describe, expect, it } from 'vitest'
import { loadCommand } from '../../../src/cli/cliCommand.ts'
import { complete } from '../../../src/cli/completion/complete.ts'
import { sourceOf } from '../../../src/cli/completion/values.ts'
import { writeClusterRecord } from '../../../src/client/registry.ts'
import { completionSources } from '../../../src/commands/completionSources.ts'
import { muster, musterProgram } from '../../../src/commands/muster.ts'
import { allOptions } from '../../../src/config/settings/options.ts'
import { spellings } from '../../../src/config/settings/setting.ts'
import { tapi } from '../../../src/tapi/tapi.ts'
import { commandContext } from '../../config/commandContext.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const program = musterProgram({ context: commandContext({}).context, done: () => {} })

const allCommands = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(allCommands),
]

type Answer = {
  readonly words: readonly string[]
  readonly descriptions: readonly string[]
  readonly directive: string
}

function parsed(printed: string): Answer {
  const lines = printed
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  return {
    words: lines.slice(0, -1).map(([word = '']) => word),
    descriptions: lines.slice(0, -1).map(([, description = '']) => description),
    directive: lines.at(-1)?.[0] ?? '',
  }
}

/** Answer of muster to a line that is being typed. */
async function typed(line: string, given: Parameters<typeof commandContext>[0] = {}): Promise<Answer> {
  const { context, out, err } = commandContext(given)
  expect(await muster({ argv: ['__complete', ...line.split(' ')], context })).toBe(0)
  expect(err()).toBe('')
  return parsed(out())
}

const file = `cluster: alpha
services:
  alpha: { master: db1, members: [db1, db2] }
  "$(touch here)": { topology: replicator, members: [db3] }
hosts:
  db1: { address: 10.0.0.1 }
  db2: { address: 10.0.0.2 }
  db3: { address: 10.0.0.3 }
  "$(touch there)": { address: 10.0.0.4 }
defaults:
  rest-api-admin-pass: !exec [touch, ran]
`

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

for (const command of allCommands(program)) await loadCommand(command)

describe('the completion of a program', () => {
  it('offers what its help shows', async () => {
    const made = new Command('x')
      .helpCommand(false)
      .configureHelp({ showGlobalOptions: true })
      .option('--everywhere', 'global')
    made
      .command('y')
      .description('does y')
      .argument('<file>')
      .option('-o, --out <file>', 'where to')
      .option('--maybe [word]', 'may stand alone')
      .addOption(new Option('--secret <word>').hideHelp())
    made.command('z', { hidden: true })
    const answers = async (...words: string[]) => {
      const { context, out } = commandContext({})
      await complete({ program: made, words, context })
      return out()
    }
    expect(await answers('')).toBe('y\tdoes y\n:words\n')
    expect(await answers('y', '')).toBe(':files\n')
    expect(await answers('y', '-')).toBe(
      '-o\twhere to\n--out\twhere to\n--maybe\tmay stand alone\n-h\tdisplay help for command\n' +
        '--help\tdisplay help for command\n--everywhere\tglobal\n:words\n',
    )
    expect(await answers('y', '-o', '')).toBe(':files\n')
    expect(await answers('y', '--out=x')).toBe(':files\n')
    expect(await answers('y', '--maybe', 'word', '')).toBe(':words\n')
    expect(await answers('y', '--secret=')).toBe(':words\n')
  })

  it('offers every command of muster and every option of each', async () => {
    for (const command of allCommands(program).slice(1)) {
      const path = []
      for (let at: Command | null = command; at?.parent != null; at = at.parent) path.unshift(at.name())
      const { words } = await typed(`${path.join(' ')} --`)
      const shown = command.options.filter(({ hidden }) => !hidden)
      const flags = shown.flatMap(({ short, long }) => [short, long]).filter((flag) => flag !== undefined)
      expect(words, path.join(' ')).toEqual([...flags, '-h', '--help', '-q', '--quiet', '-v', '--verbose'])
      if (command.commands.length === 0) continue
      const below = await typed(`${path.join(' ')} `)
      expect(below.words, path.join(' ')).toEqual(command.commands.map((one) => one.name()))
    }
  })

  it('has a source for every argument of muster', () => {
    const unknown = allCommands(program).flatMap((command) =>
      command.registeredArguments
        .filter((argument) => sourceOf(argument, command, completionSources) === undefined)
        .map((argument) => `${command.name()} <${argument.name()}>`),
    )
    // A new name of an argument belongs into completionSources.ts.
    expect(unknown).toEqual([])
  })

  it('offers options for --set in every command that takes files', async () => {
    const taking = allCommands(program).filter(({ options }) => options.some(({ long }) => long === '--set'))
    expect(taking.map((command) => command.name())).toContain('install')
    for (const command of taking.filter(({ parent }) => parent === program)) {
      const { words, directive } = await typed(`${command.name()} --set `)
      expect(words, command.name()).toContain('log-level=')
      expect(directive, command.name()).toBe(':nospace')
    }
  })

  it('offers every option of the file in every spelling, with its values', async () => {
    const { words, descriptions } = await typed('validate --set ')
    expect(words).toEqual(spellings(allOptions).map((name) => `${name}=`))
    for (const description of descriptions) expect(description).toMatch(/^[A-Z][^\n]*[^.]$/)
    const values = async (name: string) => (await typed(`validate --set ${name}=`)).words
    const levels = ['trace', 'debug', 'info', 'warn', 'error']
    expect(await values('log-level')).toEqual(levels.map((level) => `log-level=${level}`))
    expect(await values('manager-rest-api')).toEqual(['manager-rest-api=true', 'manager-rest-api=false'])
    expect(await values('rest-api-admin-password')).toEqual(['rest-api-admin-password=-'])
    expect(await values('manager-rest-api-port')).toEqual([])
    expect(await values('nonsense')).toEqual([])
  })

  it('offers the values of an option behind its "="', async () => {
    const { words } = await typed('validate --format=')
    expect(words).toContain('--format=json')
    expect((await typed('validate --set=log-level=')).words).toContain('--set=log-level=info')
    expect((await typed('validate --set=log')).words).toContain('--set=log-level=')
    expect((await typed('validate -- --format=')).directive).toBe(':files')
  })
})

describe('the completion of host and service names', () => {
  it('offers the names of the file, except those that a shell would interpret', async () => {
    const cwd = folderWith({ 'muster.yaml': file, 'other.yaml': file.replaceAll('db2', 'web2') })
    expect((await typed('check --host ', { cwd })).words).toEqual(['db1', 'db2', 'db3'])
    expect((await typed('check --host=', { cwd })).words).toEqual(['--host=db1', '--host=db2', '--host=db3'])
    expect((await typed('check --host db1,', { cwd })).words).toEqual(['db1,db2', 'db1,db3'])
    expect((await typed('check --limit db1,!', { cwd })).words).toEqual(['db1,!db2', 'db1,!db3'])
    expect((await typed('check --service ', { cwd })).words).toEqual(['alpha'])
    expect((await typed('check other.yaml --host ', { cwd })).words).toContain('web2')
    const env = { HOME: '/home/ops', MUSTER_FILE: 'other.yaml' }
    expect((await typed('check --host ', { cwd, env })).words).toContain('web2')
  })

  it('offers nothing and prints no error if no file can be read', async () => {
    const cwd = folderWith({ 'muster.yaml': 'hosts: [' })
    mkdirSync(join(cwd, 'folder.yaml'))
    for (const line of ['', 'missing.yaml ', 'folder.yaml ', '- ', '/dev/null ', '/dev/tty ']) {
      expect((await typed(`check ${line}--host `, { cwd })).words, line).toEqual([])
    }
  })

  it('runs no program of the file and contacts no host', async () => {
    const cwd = folderWith({ 'muster.yaml': file })
    await typed('install --host ', { cwd, env: { PATH: process.env.PATH } })
    expect(readdirSync(cwd)).toEqual(['muster.yaml'])
  })
})

describe('the completion of tapi', () => {
  async function typedOf(line: string, env: Readonly<Record<string, string>>): Promise<Answer> {
    const { context, out, err } = commandContext({ env })
    expect(await tapi({ argv: ['__complete', ...line.split(' ')], context })).toBe(0)
    expect(err()).toBe('')
    return parsed(out())
  }

  it('offers the options of the program at each of its commands', async () => {
    const { words } = await typedOf('--host db1 connector online --', {})
    expect(words).toContain('--component')
    expect(words).not.toContain('--password')
  })

  it('continues after an argument that the program itself would refuse', async () => {
    expect((await typedOf('--password=secret pi', {})).words).toContain('ping')
  })

  it('offers the recorded hosts and clusters', async () => {
    const folder = temporaryFolder()
    const dir = join(folder, 'muster', 'clusters')
    const host = (name: string) => ({
      name,
      address: '10.0.0.1',
      apis: [{ component: 'manager' as const, address: '0.0.0.0', port: 8090 }],
    })
    const hosts = [host('db1'), host('db2'), host('$(touch here)')]
    await writeClusterRecord({
      dir,
      cluster: { version: 1, cluster: 'alpha', directory: folder, authorities: ['PEM'], hosts },
    })
    writeFileSync(join(dir, 'broken.json'), '{')
    expect((await typedOf('--host ', { XDG_CONFIG_HOME: folder })).words).toEqual(['db1', 'db2'])
    expect((await typedOf('--cluster ', { XDG_CONFIG_HOME: folder })).words).toEqual(['alpha'])
    expect((await typedOf('--host ', { XDG_CONFIG_HOME: join(folder, 'none') })).words).toEqual([])
  })
})
