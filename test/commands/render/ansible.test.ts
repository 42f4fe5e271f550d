import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { exitCodes } from '../../../src/cli/exitCodes.ts'
import { renderFolder } from './renderFolder.ts'

const text = ({ more = '', hosts = ['db1'] } = {}): string => `cluster: alpha
defaults: { rest-api-admin-user: admin, rest-api-admin-pass: !env ADMIN_PASS${more} }
services:
  alpha: { topology: clustered, master: ${hosts[0]}, members: [${hosts.join(', ')}] }
hosts:
${hosts.map((host, index) => `  ${host}: { address: 10.0.0.1${index} }`).join('\n')}
`

describe('muster render ansible', () => {
  const { path, render } = renderFolder({ engine: 'ansible', text: text(), password: 'the password' })
  beforeAll(() => writeFileSync(path('vault'), 'the password of the vault\n', { mode: 0o600 }))

  it('refuses the names of hosts that Ansible takes for groups', async () => {
    writeFileSync(path('names.yaml'), text({ hosts: ['muster', 'db1', 'all', 'ungrouped'] }))
    const { code, stderr } = await render('names.yaml', '--out', 'names', '--vault-password-file', 'vault')
    expect(code).toBe(exitCodes.usage)
    expect(stderr).toContain('Ansible cannot have hosts with the names muster, all and ungrouped.')
    expect(existsSync(path('names'))).toBe(false)
    expect(existsSync(path('.muster/alpha'))).toBe(false)
  })

  it('names what it leaves of hosts that are no longer in the file, and nothing else', async () => {
    writeFileSync(path('more.yaml'), text({ hosts: ['db1', 'db2'] }))
    const of = (...argv: string[]) => render('--out', 'left', '--vault-password-file', 'vault', ...argv)
    await of('more.yaml')
    mkdirSync(path('left/host_vars/mine'))
    const some = await of('more.yaml', '--force', '--host', 'db1')
    expect(some.code).toBe(0)
    expect(some.stderr).not.toContain('no host of the file has')
    const { code, stderr } = await of('--force')
    expect(code).toBe(0)
    expect(stderr).toContain('note: no host of the file has left/host_vars/db2 and left/files/db2.')
    expect(existsSync(path('left/host_vars/db2/vault.yaml'))).toBe(true)
  })

  it('refuses a project that is there before it makes an authority', async () => {
    writeFileSync(path('other.yaml'), text().replace('cluster: alpha', 'cluster: other'))
    mkdirSync(path('taken/host_vars/db1'), { recursive: true })
    writeFileSync(path('taken/host_vars/db1/vault.yaml'), '')
    const refused = await render('other.yaml', '--out', 'taken', '--vault-password-file', 'vault')
    expect(refused).toMatchObject({
      code: exitCodes.usage,
      stderr: expect.stringContaining('already exists'),
    })
    expect(existsSync(path('.muster/other'))).toBe(false)
  })

  it('writes a README that names every file of the project, for whoever finds it', async () => {
    await render('--out', 'found', '--vault-password-file', 'vault')
    const readme = readFileSync(path('found', 'README.md'), 'utf8')
    for (const name of readdirSync(path('found'))) {
      if (name !== 'README.md') expect(readme).toMatch(new RegExp(`^\\| .*\`${name}[\`/]`, 'm'))
    }
  })

  it('refuses a password of the vault that Ansible would run, or that is nothing but white space', async () => {
    writeFileSync(path('program'), 'pass\n', { mode: 0o700 })
    writeFileSync(path('blank'), ' \t \n', { mode: 0o600 })
    const of = (file: string) => render('--out', 'refused', '--vault-password-file', file)
    const program = await of('program')
    expect(program.code).toBe(exitCodes.usage)
    expect(program.stderr).toContain('program is executable: Ansible would run it')
    expect(program.stderr).toContain('chmod 600')
    const blank = await of('blank')
    expect(blank.code).toBe(exitCodes.usage)
    expect(blank.stderr).toContain('The password of the vault is empty')
    expect(existsSync(path('refused'))).toBe(false)
    chmodSync(path('program'), 0o600)
    expect(await of('program')).toMatchObject({ code: 0 })
  })

  // What Ansible makes of these tasks is in the slow test of this file.
  /** Tasks of the role that `found` has, and one of them by the beginning of its name. */
  const tasksOf = (file: string): readonly Record<string, unknown>[] =>
    parse(readFileSync(path(`found/roles/muster/tasks/${file}.yaml`), 'utf8'))
  const taskOf = (file: string, name: string): Record<string, unknown> =>
    tasksOf(file).find((one) => String(one.name).startsWith(name)) ?? { name: `no ${name}` }

  it('creates files for secrets with their mode before it writes into them', () => {
    const tasks = tasksOf('secrets')
    expect(tasks.map(({ name }) => String(name).split(' ')[0])).toEqual(['Create', 'Write'])
    for (const one of tasks) {
      expect(one).toMatchObject({
        'ansible.builtin.copy': { mode: '{{ muster_private.mode }}' },
        loop: '{{ muster_secret_files }}',
      })
    }
    expect(taskOf('secrets', 'Create')).toMatchObject({
      'ansible.builtin.copy': { content: '', force: false },
    })
  })

  it('reads users wherever there is a file, and fails where that fails', () => {
    const read = taskOf('users', 'Read the users')
    expect(read).toMatchObject({ when: 'muster_users_found.stat.exists', register: 'muster_users_file' })
    for (const word of ['failed_when', 'ignore_errors']) expect(read).not.toHaveProperty(word)
  })

  it('refuses another machine than before, unless it was replaced', () => {
    expect(taskOf('identify', 'Refuse')).toMatchObject({
      'ansible.builtin.assert': {
        that: expect.arrayContaining([
          'muster_machine_id is not defined or muster_machine_id == muster_machine',
          'muster_replaced is defined or muster_installation.machineId | default(muster_machine) == muster_machine',
        ]),
      },
    })
  })
})
