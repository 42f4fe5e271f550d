import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { blockOf, commandsOf, readPage, root } from '../support/pages.ts'
import { freePort } from '../support/ports.ts'
import { createOperator, type Operator, packageDirectory } from './support/operator.ts'
import { endProcesses, pidsBelow } from './support/pids.ts'
import { type Ended, runProgram } from './support/program.ts'

const session = blockOf('README.md', 'console')
const sessionLines = [...session.matchAll(/^\$ (.+)$/gm)].map(([, line = '']) => line)
// The lines of a downloaded file, ./muster, are run by test/lab/package.test.ts.
const tour = commandsOf('README.md').filter(
  (line) => /^(?:muster|tapi) /.test(line) && /localhost|quickstart\.yaml/.test(line),
)
/** Ports of the example and the password that the page shows. */
const ports = { manager: 8090, connector: 8096, replicator: 8097 }
const shownPassword = 'hK3v-example-9Qw'

/** README.md on a machine of its own: the same example with free ports, and the programs of dist/. */
describe.skipIf(process.platform !== 'linux')('README.md (needs Linux)', () => {
  let folder = ''
  let operator: Operator
  let password = ''
  const taken = new Map<number, number>()
  const installed = () => join(operator.directory, 'examples/quickstart')

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'muster-readme-'))
    operator = createOperator(folder)
    mkdirSync(join(operator.directory, 'examples'))
    const lines: string[] = []
    for (const [component, port] of Object.entries(ports)) {
      const free = await freePort()
      taken.set(free, port)
      lines.push(`  ${component}-rest-api-port: ${free}\n`)
    }
    const example = readFileSync(join(packageDirectory, 'examples/quickstart.yaml'), 'utf8')
    const text = example.replace('\ndefaults:\n', `\ndefaults:\n${lines.join('')}`)
    writeFileSync(join(operator.directory, 'examples/quickstart.yaml'), text)
  })
  afterAll(() => {
    endProcesses(installed())
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  const run = async (line: string): Promise<Ended> => {
    const [program = '', ...argv] = line.split(' ')
    if (program !== 'muster' && program !== 'tapi') throw new Error(`${line}: no program of ours`)
    const env = password === '' ? operator.env : { ...operator.env, TAPI_PASSWORD: password }
    return runProgram({ program, argv, cwd: operator.directory, env })
  }

  /** What was printed, with the example's own ports and without what differs from run to run. */
  const asShown = (printed: string): string => {
    let text = printed
      .replaceAll(password, shownPassword)
      .replaceAll(/\b(\d+\.\d\.\d)-[\da-f]{12}\b/g, '$1-4f5e1c2a9b70')
      // Phases that take no time are not listed.
      .replaceAll(/\((?:\w+ \d+\.\d s(?:, )?)+\)/g, '(facts 0.3 s, stage 1.1 s, commit 0.8 s, verify 0.4 s)')
      .replaceAll(/(?<=done \(|DONE: 1 host in )[^)\n]+/g, '2.6 s')
    for (const [free, port] of taken) {
      // Columns stay where they are.
      text = text
        .replaceAll(new RegExp(`\\b${free}( *)$`, 'gm'), `${port}$1`)
        .replaceAll(`${free} `, `${port}  `)
      text = text.replaceAll(`${free}`, `${port}`)
    }
    return text.replaceAll(operator.directory, '~/muster').replaceAll(/ +$/gm, '')
  }

  it('has an npm script quickstart that runs the first command of its session', () => {
    expect(packageJson.scripts.quickstart.replace('node dist/muster.js', 'muster')).toBe(sessionLines[0])
  })

  it('shows a session with the real output', async () => {
    let printed = ''
    for (const line of sessionLines) {
      const { code, stdout, stderr } = await run(line)
      expect(code, `${line}: ${stderr}`).toBe(0)
      password = /user admin {2}password (\S+)/.exec(stdout)?.[1] ?? password
      printed += `$ ${line}\n${asShown(`${stdout}${stderr}`)}`
    }
    await expect(readPage('README.md').replace(session, () => printed)).toMatchFileSnapshot(
      `${root}README.md`,
    )
  })

  it('links to a page on certificates whose curl command logs in', () => {
    const shown = commandsOf('docs/guide/certificates.md').find((line) => line.startsWith('curl ')) ?? 'false'
    const [port] = [...taken].find(([, component]) => component === ports.manager) ?? []
    const line = shown
      .replace('--user admin', '--silent --show-error --config -')
      .replace('.muster/alpha', 'examples/.muster/quickstart')
      .replace('db1:8090', `localhost:${port}`)
    const answer = execFileSync('sh', ['-c', line], {
      cwd: operator.directory,
      encoding: 'utf8',
      input: `user = "admin:${password}"`,
    })
    expect(JSON.parse(answer)).toHaveProperty('payload')
  })

  it('has a tour whose commands work in order, and that leaves nothing', async () => {
    expect(tour.length).toBeGreaterThan(6)
    let isStopped = false
    for (const line of tour) {
      const { code, stdout, stderr } = await run(line)
      const runs = line.includes(' stop ') ? 2 : line.includes('uninstall') ? 0 : undefined
      expect(code, `${line}: ${stdout}${stderr}`).toBe(line.includes(' status ') && isStopped ? 1 : 0)
      isStopped = line.includes(' stop ') || (isStopped && !line.includes(' install '))
      if (runs !== undefined) expect(Object.keys(pidsBelow(installed()))).toHaveLength(runs)
      if (line.startsWith('muster install')) expect(Object.keys(pidsBelow(installed()))).toHaveLength(3)
    }
    expect(existsSync(installed())).toBe(false)
  })
})
