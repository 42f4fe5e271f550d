import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { beforeAll, describe, expect, it } from 'vitest'
import { installed } from '../../lab/support/requirements.ts'
import { renderFolder } from './renderFolder.ts'

const text = ({ more = '' } = {}): string => `cluster: alpha
defaults: { rest-api-admin-user: admin, rest-api-admin-pass: !env ADMIN_PASS${more} }
services:
  alpha: { topology: clustered, master: db1, members: [db1] }
hosts:
  db1: { address: 10.0.0.10 }
`

describe.skipIf(!installed('ansible-playbook'))(
  'what muster render ansible writes (needs ansible-core)',
  () => {
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

    it('writes scripts for every path of an installation', async () => {
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
    })

    it('writes keys that nobody else can read at any moment', async () => {
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
    })

    it('takes users that cannot be read for a failure, and not for none', async () => {
      await render('--out', 'users', '--vault-password-file', 'vault')
      mkdirSync(path('data', 'users.json'), { recursive: true })
      const users = () =>
        play('users', 'roles/muster/tasks/users.yaml', {
          ...{ muster_data: path('data'), muster_as_service: ['env'], muster_api: ['sh', '-c', 'cat'] },
        })
      expect(users).toThrow('the play failed')
      rmSync(path('data', 'users.json'), { recursive: true })
      users()
    })

    it('refuses a copy of the disk of a host, unless it was replaced', async () => {
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
    })
  },
)
