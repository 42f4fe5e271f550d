import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/ports.ts'
import { createOperator, type Operator, packageDirectory } from './support/operator.ts'
import { endProcesses, pidsBelow } from './support/pids.ts'
import { type Ended, runProgram } from './support/program.ts'
import { filesBelow, snapshot } from './support/snapshot.ts'

/** Whether a real terminal can be had: script(1) of util-linux. */
const hasScript = (): boolean => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux')
  } catch {
    return false
  }
}

const isFile = (word: string): boolean => word.endsWith('.yaml')
const isWord = (word: string): boolean => !isFile(word)

/** examples/quickstart.yaml with the programs of dist/, in the order of the README. */
describe.skipIf(process.platform !== 'linux')('the quickstart (needs Linux)', () => {
  let folder = ''
  let operator: Operator
  let password = ''
  const installed = () => join(operator.directory, 'quickstart')

  /** The example's own ports may be in use here, so an overlay gives it others. */
  const files = ['quickstart.yaml', 'ports.yaml']
  /** Later files overlay earlier ones, so a test's own comes last. */
  const muster = (...argv: string[]): Promise<Ended> =>
    runProgram({
      program: 'muster',
      argv: [...argv.filter(isWord), ...files, ...argv.filter(isFile)],
      cwd: operator.directory,
      env: operator.env,
    })
  const tapi = (argv: readonly string[], stdin = ''): Promise<Ended> =>
    runProgram({ program: 'tapi', argv, cwd: operator.directory, env: operator.env, stdin })

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'muster-q-'))
    operator = createOperator(folder)
    copyFileSync(
      join(packageDirectory, 'examples/quickstart.yaml'),
      join(operator.directory, 'quickstart.yaml'),
    )
    operator.write(
      'ports.yaml',
      `defaults:
  manager-rest-api-port: ${await freePort()}
  connector-rest-api-port: ${await freePort()}
  replicator-rest-api-port: ${await freePort()}
`,
    )
  })
  afterAll(() => {
    endProcesses(installed())
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  it('installs three APIs and shows the password once', async () => {
    expect((await muster('validate')).stdout).toBe(
      'Merged quickstart.yaml and ports.yaml into one configuration. To validate each file alone, use --each.\n' +
        'The configuration of quickstart is valid: 1 host, 3 APIs.\n',
    )
    const outcome = await muster('install', '--yes')
    expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
    password = /user admin {2}password (\S+)/.exec(outcome.stdout)?.[1] ?? ''
    expect(password).toMatch(/^\S{16,}$/)
    expect(Object.keys(pidsBelow(installed())).sort()).toEqual(['connector', 'manager', 'replicator'])
  })

  it('ends with the duration, a working call, and the command to stop it', async () => {
    const { stdout } = await muster('install', '--yes')
    const [, verdict = ''] = stdout.split(/^(?=DONE: )/m)
    expect(verdict).toMatch(
      /^DONE: 1 host in \d+\.\d s\n {2}manager +https:\/\/127\.0\.0\.1:\d+\n {2}connector +https:\/\/\S+\n {2}replicator +https:\/\/\S+\n {2}try it +curl --cacert \.muster\/quickstart\/authority\.crt https:\/\/\S+\n {2}next +muster status quickstart\.yaml ports\.yaml\n {2}stop it +muster stop quickstart\.yaml ports\.yaml\n$/,
    )
    const [, line = ''] = /^ {2}try it +(.*)$/m.exec(verdict) ?? []
    const answer = execFileSync('sh', ['-c', `${line} --silent --show-error`], {
      cwd: operator.directory,
      encoding: 'utf8',
    })
    expect(JSON.parse(answer)).toHaveProperty('payload')
  })

  it('can be called with tapi, which finds ports and authority', async () => {
    expect((await tapi(['--host', 'localhost', 'ping'])).code).toBe(0)
    for (const component of ['manager', 'connector', 'replicator']) {
      const user = ['--host', 'localhost', '--component', component, '--user', 'admin', 'user', 'admin']
      const outcome = await tapi(['--password-stdin', ...user], password)
      expect(outcome, outcome.stderr).toMatchObject({ code: 0 })
      expect(outcome.stdout).toContain('admin')
    }
    const wrong = ['--host', 'localhost', '--password-stdin', '--user', 'admin', 'user', 'admin']
    expect((await tapi(wrong, 'not it')).code).toBe(1)
  })

  it('changes nothing the second time', async () => {
    const before = [snapshot(installed()), pidsBelow(installed()), snapshot(operator.home)]
    const outcome = await muster('install', '--yes')
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    expect(outcome.stdout).toContain('quickstart: nothing to do on 1 host.\n')
    expect(outcome.stdout).not.toContain(password)
    expect([snapshot(installed()), pidsBelow(installed()), snapshot(operator.home)]).toEqual(before)
  })

  it('has a status', async () => {
    const outcome = await muster('status')
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    expect(outcome.stdout).toMatch(/^localhost +up +ready\n\nOK\n$/m)
    expect(JSON.parse((await muster('status', '--json')).stdout)).toMatchObject({
      hosts: [{ components: [{ ready: true }, { ready: true }, { ready: true }] }],
      services: [{ name: 'quickstart', managersAgree: true, missing: [], datasources: [] }],
    })
  })

  it.skipIf(!hasScript())(
    'asks at a terminal, and ends with an error message there (needs script)',
    async () => {
      const atTerminal = (line: string, answer: string): string =>
        execFileSync(
          'script',
          [
            '-qec',
            `${process.execPath} ${packageDirectory}dist/muster.js ${line}; echo "code $?"`,
            '/dev/null',
          ],
          {
            cwd: operator.directory,
            env: { ...operator.env, TERM: 'xterm', SHELL: '/bin/sh' },
            input: answer,
            encoding: 'utf8',
            timeout: 300_000,
          },
        )
      expect(atTerminal(`uninstall ${files.join(' ')}`, 'no\n')).toMatch(/Go on\? \[yes\/no\][\s\S]*code 1/)
      writeFileSync(
        join(operator.directory, 'secret.yaml'),
        'defaults:\n  rest-api-admin-pass: !env NOT_THERE\n',
      )
      const wrong = atTerminal(`plan ${files.join(' ')} secret.yaml`, '')
      expect(wrong).toContain('NOT_THERE')
      expect(wrong).toMatch(/code 1\s*$/)
      expect(Object.keys(pidsBelow(installed()))).toHaveLength(3)
    },
  )

  it('is not moved to another folder while it is installed', async () => {
    operator.write(
      'elsewhere.yaml',
      `defaults:
  install-directory: elsewhere
  manager-rest-api-port: ${await freePort()}
  connector-rest-api-port: ${await freePort()}
  replicator-rest-api-port: ${await freePort()}
`,
    )
    const runs = pidsBelow(installed())
    const { code, stderr } = await muster('install', '--yes', 'elsewhere.yaml')
    expect(code).toBe(1)
    expect(
      stderr,
    ).toBe(`error localhost: its components are installed in ${installed()}, but install-directory is ${join(operator.directory, 'elsewhere')} [installed-elsewhere]
  fix: Set install-directory back to ${installed()}. Or uninstall with the old value and install again: passwords, certificates and databases are kept.
Nothing was changed.
`)
    const removed = await muster('uninstall', '--yes', '--purge', 'elsewhere.yaml')
    expect(removed).toMatchObject({ code: 1, stderr })
    expect(existsSync(join(operator.directory, '.muster/quickstart/secrets.json'))).toBe(true)
    expect(existsSync(join(operator.directory, 'elsewhere'))).toBe(false)
    expect(pidsBelow(installed())).toEqual(runs)
  })

  it('uninstalls and leaves nothing', async () => {
    expect(readFileSync(join(operator.directory, '.muster/quickstart/secrets.json'), 'utf8')).toContain(
      password,
    )
    const outcome = await muster('uninstall', '--yes', '--purge')
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    expect(existsSync(installed())).toBe(false)
    expect(existsSync(join(operator.directory, '.muster'))).toBe(false)
    expect(filesBelow(operator.home)).toEqual([])
  })
})
