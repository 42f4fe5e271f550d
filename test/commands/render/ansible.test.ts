import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { beforeAll, describe, expect, it } from 'vitest'
import { exitCodes } from '../../../src/cli/exitCodes.ts'
import { installed } from '../../lab/support/requirements.ts'
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

  /** Plays tasks of a project on this machine, with more variables. */
  const play = (project: string, tasks: string, more: object = {}): void => {
    const playbook = {
      ...{ hosts: 'muster', connection: 'local', gather_facts: false },
      vars_files: ['roles/muster/vars/main.yaml'],
      tasks: [{ 'ansible.builtin.import_tasks': tasks, vars: more }],
    }
    writeFileSync(path(project, 'play.json'), JSON.stringify([playbook]))
    const args = ['-i', 'inventory.yaml', '--vault-password-file', '../vault', 'play.json']
    const { status, stdout, stderr } = spawnSync('ansible-playbook', args, {
      cwd: path(project),
      env: { PATH: process.env.PATH, HOME: path(), LANG: 'C.UTF-8', PYTHONPATH: path() },
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`the play failed with ${status}:\n${stdout}${stderr}`)
  }

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

  it.skipIf(!installed('ansible-playbook'))(
    'writes scripts for every path of an installation (needs ansible-core)',
    async () => {
      const place = `/opt/{{ x }} {% raw %}'; touch y; '`
      writeFileSync(path('places.yaml'), text({ more: `, install-directory: "${place}"` }))
      await render('places.yaml', '--out', 'places', '--vault-password-file', 'vault')
      const scripts = ['take-snapshot.sh', 'restore-snapshot.sh', 'remove-user.sh']
      const task = (script: string) => `- ansible.builtin.copy:
    content: "{{ lookup('ansible.builtin.template', 'roles/muster/templates/${script}.j2') }}"
    dest: "{{ playbook_dir }}/${script}"
    mode: "0600"
`
      writeFileSync(path('places', 'scripts.yaml'), scripts.map(task).join(''))
      play('places', 'scripts.yaml')
      for (const script of scripts) execFileSync('sh', ['-n', path('places', script)])
      const line = readFileSync(path('places', 'take-snapshot.sh'), 'utf8').split('\n')[1] ?? ''
      const where = execFileSync('sh', ['-c', line.replace(/^cd /, `printf %s `)], { cwd: path() })
      expect(where.toString()).toBe(place)
      expect(existsSync(path('y'))).toBe(false)
    },
    120_000,
  )

  it.skipIf(!installed('ansible-playbook'))(
    'writes keys that nobody else can read at any moment (needs ansible-core)',
    async () => {
      await render('--out', 'keys', '--vault-password-file', 'vault')
      mkdirSync(path('share', 'tls'), { recursive: true })
      writeFileSync(
        path('sitecustomize.py'),
        `import os
chmod = os.chmod
def logged(path, mode, **options):
    chmod(path, mode, **options)
    with open(${JSON.stringify(path('modes'))}, 'a') as log:
        log.write('%s %o %d\\n' % (os.fsdecode(path), mode & 0o777, os.stat(path).st_size))
os.chmod = logged
`,
      )
      const { uid, gid } = userInfo()
      play('keys', 'roles/muster/tasks/secrets.yaml', {
        muster_share: path('share'),
        muster_private: { owner: String(uid), group: String(gid), mode: '0640' },
      })
      const modes = readFileSync(path('modes'), 'utf8').split('\n')
      const ofKey = modes.filter((line) => line.startsWith(path('share', 'tls', 'key.pem')))
      const open = ofKey.filter((line) => !/ (?:[0-7]+ 0|[0-7][0-7]0 \d+)$/.test(line))
      expect(ofKey.length).toBeGreaterThan(0)
      expect(open).toEqual([])
      expect(readFileSync(path('share', 'tls', 'key.pem'), 'utf8')).toContain('PRIVATE KEY')
      expect(statSync(path('share', 'tls', 'key.pem')).mode & 0o777).toBe(0o640)
    },
    120_000,
  )

  it.skipIf(!installed('ansible-playbook'))(
    'takes users that cannot be read for a failure, and not for none (needs ansible-core)',
    async () => {
      await render('--out', 'users', '--vault-password-file', 'vault')
      mkdirSync(path('data', 'users.json'), { recursive: true })
      const users = () =>
        play('users', 'roles/muster/tasks/users.yaml', {
          ...{ muster_data: path('data'), muster_as_service: ['env'], muster_api: ['sh', '-c', 'cat'] },
        })
      expect(users).toThrow('the play failed')
      rmSync(path('data', 'users.json'), { recursive: true })
      users()
    },
    120_000,
  )

  it.skipIf(!installed('ansible-playbook'))(
    'refuses a copy of the disk of a host, unless it was replaced (needs ansible-core)',
    async () => {
      const [here, there] = ['e'.repeat(32), 'f'.repeat(32)]
      mkdirSync(path('copy'))
      writeFileSync(path('copy/machine-id'), `${here}\n`)
      const record = { version: 1, cluster: 'alpha', host: 'db1', machineId: there }
      const identify = async (...argv: string[]) => {
        await render('--out', 'machine', '--vault-password-file', 'vault', '--force', ...argv)
        // This machine may have neither.
        const tasks = readFileSync(path('machine/roles/muster/tasks/identify.yaml'), 'utf8')
          .replace('/run/systemd/system', path())
          .replace('/etc/machine-id', path('copy/machine-id'))
        writeFileSync(path('machine/identify.yaml'), tasks)
        play('machine', 'identify.yaml', { muster_share: path('copy') })
      }
      await identify()
      writeFileSync(path('copy/installation.json'), JSON.stringify(record))
      await expect(identify()).rejects.toThrow('the play failed')
      await identify('--replaced', 'db1')
      writeFileSync(path('copy/installation.json'), JSON.stringify({ ...record, machineId: here }))
      await identify()
    },
    120_000,
  )

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
})
