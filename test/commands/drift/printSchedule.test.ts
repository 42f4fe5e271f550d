import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { muster } from '../../../src/commands/muster.ts'
import { commandContext } from '../../config/commandContext.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const hasSystemd = spawnSync('systemd-analyze', ['--version']).error === undefined
const password = 'x8Jw-Rt2q_Lm0'

const hosts = `hosts:
  db1: { address: 10.0.0.11 }
  db2: { address: 10.0.0.12 }
`
const file = `cluster: alpha
services:
  alpha: { topology: clustered, master: db1, members: [db1, db2] }
${hosts}defaults:
  rest-api-admin-user: admin
  rest-api-admin-pass: !env ADMIN_PASS
  rest-api-users: { dev: { password: ${password} } }
`

function workplace(text = file, name = 'conf % $HOME') {
  const folder = join(temporaryFolder(), name)
  mkdirSync(folder)
  writeFileSync(join(folder, 'alpha.yaml'), text)
  const run = async (env: Readonly<Record<string, string>>, ...argv: readonly string[]) => {
    const { context, out, err } = commandContext({
      cwd: folder,
      env: { HOME: folder, ADMIN_PASS: password, ...env },
    })
    const code = await muster({ argv: ['drift', '--schedule', ...argv, 'alpha.yaml'], context })
    return { code, stdout: out(), stderr: err() }
  }
  return { folder, run }
}

describe('muster drift --schedule', () => {
  it('prints a service and a timer without a secret, for the same hosts', async () => {
    const { run, folder } = workplace()
    const agent = '/run/user/1000/ssh-agent'
    const { code, stdout } = await run(
      { SSH_AUTH_SOCK: agent },
      '--host',
      'db[12]',
      '--forks',
      '5',
      '--on-calendar',
      'Mon..Fri 06:00',
    )
    expect(code).toBe(0)
    expect(stdout).not.toContain(password)
    expect(stdout.match(/^# \/etc\/systemd\/system\/.*$/gm)).toEqual([
      '# /etc/systemd/system/muster-drift-alpha.service',
      '# /etc/systemd/system/muster-drift-alpha.timer',
    ])
    expect(stdout).toContain(`\nUser=${userInfo().username}\n`)
    expect(stdout).toContain(`\nWorkingDirectory=${folder.replace('%', '%%')}\n`)
    const start = /^ExecStart=(.*)$/m.exec(stdout)?.[1]
    expect(start).toContain(' "drift" "--host" "db[12]" "--forks" "5" "')
    expect(start).toMatch(/" "[^"]*\/conf %% \$\$HOME\/alpha\.yaml"$/)
    expect(stdout).toContain(`\nEnvironment="SSH_AUTH_SOCK=${agent}"\n`)
    expect(stdout).toContain(
      '\n# The file reads ADMIN_PASS: lines NAME=value, readable by root only.\nEnvironmentFile=/etc/muster/drift-alpha.env\n',
    )
    expect(stdout).toContain('\nOnCalendar=Mon..Fri 06:00\n')
  })

  it('trusts the authorities that the operator added, for webhooks', async () => {
    const { stdout } = await workplace().run({ NODE_EXTRA_CA_CERTS: '/etc/ssl/ours.pem' })
    expect(stdout).toContain('\nEnvironment="NODE_EXTRA_CA_CERTS=/etc/ssl/ours.pem"\n')
  })

  it('leaves out an agent that belongs to one login', async () => {
    const { stdout } = await workplace().run({ SSH_AUTH_SOCK: '/tmp/ssh-a/agent.1' })
    expect(stdout).not.toContain('SSH_AUTH_SOCK')
  })

  it.skipIf(!hasSystemd)('writes units that systemd takes, and exposes little', async () => {
    const { run, folder } = workplace(file, 'conf')
    const { code, stdout } = await run({}, '--out', 'units')
    expect(code).toBe(0)
    expect(stdout).toContain(
      '  sudo systemctl daemon-reload && sudo systemctl enable --now muster-drift-alpha.timer\n',
    )
    const names = readdirSync(join(folder, 'units')).sort()
    expect(names).toEqual(['muster-drift-alpha.service', 'muster-drift-alpha.timer'])
    const units = names.map((name) => join(folder, 'units', name))
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...units], {
      encoding: 'utf8',
    })
    expect({ status, said: stderr.split('\n').filter((line) => line.includes('muster')) }).toEqual({
      status: 0,
      said: [],
    })
    const score = execFileSync('systemd-analyze', ['security', '--offline=true', units[0] ?? ''], {
      encoding: 'utf8',
    })
    expect(Number(/Overall exposure level for \S+: ([\d.]+)/.exec(score)?.[1])).toBeLessThan(2)
  })

  it.each([
    ['--set', ['--set', 'log-level=debug'], '--set cannot be used with --schedule'],
    [
      'a password that is asked for',
      ['--ask-become-pass'],
      '--ask-become-pass cannot be used with --schedule',
    ],
    ['another line in its calendar', ['--on-calendar', 'daily\nExecStart=x'], 'is not a time of systemd'],
  ])('refuses %s, exit code 3', async (_, argv, said) => {
    const { code, stderr } = await workplace().run({}, ...argv)
    expect(code).toBe(3)
    expect(stderr).toContain(said)
  })

  it.each(['conf\n\nExecStartPre=+id', 'conf\\'])(
    'refuses a folder that would be another line: %j',
    async (name) => {
      const { run, folder } = workplace(file, name)
      const { code, stdout, stderr } = await run({})
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
      expect(stderr).toContain(`${JSON.stringify(folder)} cannot be written into a unit of systemd`)
    },
  )

  it('prints lines that a shell can run, whatever the folder is named', async () => {
    const { stdout } = await workplace().run({}, '--out', 'my units')
    const words = ['service', 'timer'].map((kind) => `'my units/muster-drift-alpha.${kind}'`)
    expect(stdout).toContain(`  sudo cp -- ${words.join(' ')} /etc/systemd/system/\n`)
  })

  it('refuses hosts that are this machine', async () => {
    const local = file.replace('{ address: 10.0.0.11 }', '{ connection: local }')
    const { code, stderr } = await workplace(local).run({})
    expect(code).toBe(3)
    expect(stderr).toContain('db1 has connection: local')
  })
})
