import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { blockOf, commandsOf } from '../support/pages.ts'
import { freePort } from '../support/ports.ts'
import { createOperator, type Operator, packageDirectory } from './support/operator.ts'
import { endProcesses, pidsBelow, runs } from './support/pids.ts'

const page = 'docs/guide/processes.md'

/** What docs/guide/processes.md shows, with the programs of dist/ and everything that a reboot leaves. */
describe.skipIf(process.platform !== 'linux')('components as processes, after a reboot (needs Linux)', () => {
  let folder = ''
  let bin = ''
  let operator: Operator
  const clusters = () => join(operator.home, 'clusters')
  const installed = () => join(clusters(), 'installed')
  const running = (): number => Object.values(pidsBelow(installed())).filter(runs).length

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'muster-reboot-'))
    operator = createOperator(folder)
    operator.write(
      'muster.yaml',
      `cluster: alpha
defaults:
  rest-api-admin-user: admin
  install-directory: installed
  service-manager: process
  manager-rest-api-port: ${await freePort()}
  connector-rest-api-port: ${await freePort()}
  replicator-rest-api-port: ${await freePort()}
services:
  alpha: { topology: clustered, master: localhost, members: [localhost], connectors: [localhost] }
hosts:
  localhost: { address: 127.0.0.1, connection: local }
`,
    )
    renameSync(operator.directory, clusters())
    bin = join(folder, 'bin')
    mkdirSync(bin)
    symlinkSync(process.execPath, join(bin, 'node'))
    const program = `#!/bin/sh\nexec node ${join(packageDirectory, 'dist/muster.js')} "$@"\n`
    writeFileSync(join(bin, 'muster'), program, { mode: 0o755 })
    asAtBoot('PATH=/usr/local/bin:/usr/bin:/bin muster install --yes clusters/muster.yaml')
    expect(running()).toBe(3)
  })
  afterAll(() => {
    endProcesses(installed())
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  beforeEach(async () => {
    endProcesses(installed())
    await eventually(() => expect(running()).toBe(0))
  })

  /** Runs a line as cron and systemd do: by sh, in the home, with next to no environment. */
  function asAtBoot(line: string): void {
    execFileSync('/bin/sh', ['-c', line.replaceAll('/usr/local/bin', bin)], {
      cwd: operator.home,
      env: { HOME: operator.home, LOGNAME: 'ops', SHELL: '/bin/sh', PATH: '/usr/bin:/bin' },
      stdio: 'pipe',
    })
  }

  it('are started by the crontab line of the guide', () => {
    const [, line] = /^@reboot (.+)\n$/.exec(blockOf(page, 'crontab')) ?? []
    asAtBoot(line ?? 'false')
    expect(running()).toBe(3)
  })

  it('are started by the user unit of the guide, which systemd accepts', () => {
    const unit = blockOf(page, 'ini')
    const value = (key: string): string => new RegExp(`^${key}=(.+)$`, 'm').exec(unit)?.[1] ?? 'false'
    expect(value('WorkingDirectory')).toBe('%h')
    asAtBoot(`${value('Environment')} ${value('ExecStart')}`)
    expect(running()).toBe(3)
    const file = join(folder, 'muster.service')
    writeFileSync(file, unit)
    const verify = ['--user', '--man=no', 'verify', file]
    const env = { PATH: process.env.PATH, HOME: operator.home, XDG_RUNTIME_DIR: folder }
    expect(execFileSync('systemd-analyze', verify, { encoding: 'utf8', env, stdio: 'pipe' })).toBe('')
  })

  it('are started at boot by commands that systemd knows', () => {
    const lines = commandsOf(page)
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      const [program = '', ...words] = line.split(' ')
      const help = execFileSync(program, ['--help'], { encoding: 'utf8' })
      for (const word of words.filter((each) => !each.endsWith('.service')))
        expect(help).toContain(`  ${word} `)
    }
  })
})
