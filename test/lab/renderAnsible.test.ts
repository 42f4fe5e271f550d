import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { trustAuthority } from './scenario/apiFromHost.ts'
import { clusterFile } from './scenario/clusterFile.ts'
import { endState, play, renderEngines, renderedFolder, succeeded } from './scenario/engines.ts'
import { betrayedBy } from './scenario/filesBelow.ts'
import { everythingOn, installationState, pidsOf, remains } from './scenario/hostState.ts'
import { authorityIn } from './scenario/matrix.ts'
import { entered, must } from './scenario/onHost.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { hostStates } from './scenario/reports.ts'
import { betrays, makeSentinel } from './scenario/sentinel.ts'
import { execute, type Outcome } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { equippedBase } from './support/releases.ts'
import { labHere } from './support/requirements.ts'

const sentinel = makeSentinel()
const { password } = sentinel
const timeout = 900_000

/** The number of changed tasks in the recap of a host. */
const changedIn = ({ stdout }: Outcome): number => Number(/^db1 .* changed=(\d+) /m.exec(stdout)?.[1])

describe.skipIf(labHere.missing)(`a project for Ansible${labHere.needs}`, () => {
  let lab: Lab
  let host: LabHost
  let operator: Operator
  const printed: string[] = []
  let before: readonly string[]
  let installed = ''

  const render = async (defaults: readonly string[] = []): Promise<void> => {
    const wish = { cluster: 'alpha', topology: 'clustered', hosts: [{ name: 'db1' }], defaults } as const
    operator.write('alpha.yaml', clusterFile(lab, wish))
    succeeded(await renderEngines.ansible.render(operator, host))
  }
  const site = async (...options: readonly string[]): Promise<Outcome> => {
    const outcome = await play(operator, host, 'site.yaml', options)
    printed.push(outcome.stdout, outcome.stderr)
    return outcome
  }
  // Ansible makes a folder of its own wherever it logs in.
  const everything = async () =>
    (await everythingOn(host)).filter((path) => !path.startsWith('/root/.ansible'))

  const isDone = async (): Promise<void> => {
    const plan = await operator.muster(['plan', 'alpha.yaml'])
    succeeded(plan)
    expect(plan.stdout).toContain('nothing to do')
  }

  beforeAll(async () => {
    lab = await startLab({ hosts: ['db1'], ...equippedBase })
    host = hostOf(lab, 'db1')
    operator = createOperator(lab, 'operator', password)
    await render()
  })
  afterAll(() => lab?.stop())

  it(
    'passes the production profile of ansible-lint',
    async () => {
      const cwd = join(renderedFolder(operator, 'ansible'), 'db1')
      succeeded(await execute('ansible-lint', ['--profile', 'production', '--offline', '--nocolor'], { cwd }))
    },
    timeout,
  )

  it(
    'announces in check mode what a fresh host gets, and writes nothing there',
    async () => {
      before = await everything()
      const check = await site('--check', '--diff')
      succeeded(check)
      expect(check.stdout).toContain('+  "component": "manager"')
      expect(changedIn(check)).toBeGreaterThan(15)
      expect(await everything()).toEqual(before)
    },
    timeout,
  )

  it(
    'installs the host, and prints no secret however much it prints',
    async () => {
      succeeded(await site('--diff', '-vvv'))
      await trustAuthority(host, authorityIn(operator))
      for (const port of [8090, 8096, 8097]) expect(await entered(host, { port, password })).toBe(200)
      const users = await must(host, 'cat /var/lib/muster-alpha/users.json')
      const hash = /\$scrypt\$[^"]+/.exec(users)?.[0] ?? 'no hash'
      expect(printed.join('\n')).not.toContain(hash)
      expect(printed.join('\n')).not.toContain('PRIVATE KEY')
    },
    timeout,
  )

  it(
    'leaves nothing to do for plan, and status, users verify and tapi find a host of muster',
    async () => {
      await isDone()
      expect(hostStates(await operator.muster(['status', '--json', 'alpha.yaml']))).toEqual({ db1: 'up' })
      succeeded(await operator.muster(['users', 'verify', 'alpha.yaml']))
      const login = ['--host', host.address, '--user', 'admin', '--password-stdin', 'user', 'admin']
      succeeded(await operator.tapi(login, { input: `${password}\n`, withoutPassword: true }))
    },
    timeout,
  )

  it(
    'changes and restarts nothing in a second run',
    async () => {
      const state = await installationState(host)
      const again = await site()
      expect(changedIn(again), again.stdout).toBe(0)
      expect(await installationState(host)).toBe(state)
      installed = await endState(host)
    },
    timeout,
  )

  it(
    'announces in check mode as many changes as a run makes, which restarts only the component that reads them',
    async () => {
      await render(['manager-dashboard: false'])
      const check = await site('--check', '--diff')
      expect(check.stdout).toContain('-  "dashboard": ')
      const pids = await pidsOf(host, 'alpha')
      const run = await site()
      succeeded(run)
      expect(changedIn(check), check.stdout).toBe(changedIn(run))
      const { manager, ...others } = await pidsOf(host, 'alpha')
      expect(manager).not.toBe(pids.manager)
      expect({ ...others, manager: pids.manager }).toEqual(pids)
      await isDone()
    },
    timeout,
  )

  it(
    'takes a host back whose login cannot be proved, and completes it in the next run',
    async () => {
      await render(['log-level: debug', 'manager-rest-api-port: 8091'])
      const squat = 'require("net").createServer().listen(8091)'
      await must(host, `systemd-run --quiet --unit=squatter /opt/muster/current/node -e '${squat}'`)
      const ran = await endState(host)
      const failed = await site()
      expect(failed.code).not.toBe(0)
      expect(failed.stdout).toContain('manager admin 0')
      expect(await endState(host)).toBe(ran)
      expect(await entered(host, { port: 8090, password })).toBe(200)
      await must(host, 'systemctl stop squatter')
      succeeded(await site())
      expect(await entered(host, { port: 8091, password })).toBe(200)
      succeeded(await operator.muster(['plan', 'alpha.yaml']))
    },
    timeout,
  )

  it(
    'completes a run that was killed between commit and proof',
    async () => {
      await render(['log-level: warn'])
      const home = join(operator.directory, 'ansible-home')
      await execute(
        'ansible-playbook',
        ['-i', 'inventory.yaml', '--vault-password-file', '../../vault.pass', 'site.yaml'],
        {
          cwd: join(renderedFolder(operator, 'ansible'), 'db1'),
          env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' },
          killWhen: (stdout) => stdout.includes('Write units'),
        },
      )
      expect((await host.run('ls -d /opt/muster/.before')).code).toBe(0)
      succeeded(await site())
      expect((await host.run('ls -d /opt/muster/.before')).code).not.toBe(0)
      succeeded(await operator.muster(['plan', 'alpha.yaml']))
    },
    timeout,
  )

  it(
    'never has the password in clear, in the project, in what Ansible printed or on the host',
    async () => {
      expect(betrayedBy(sentinel, [lab.directory], ['.muster'])).toEqual([])
      expect(betrays(sentinel, printed.join('\n'))).toBe(false)
      const folders = ['opt', 'etc', 'var', 'root', 'home', 'tmp', 'run'].map((name) =>
        join(host.root(), name),
      )
      expect(betrayedBy(sentinel, folders)).toEqual([])
      const journal = await host.run('journalctl --all --no-pager --output=export')
      expect(journal.stdout).toContain('muster-alpha-manager.service')
      expect(betrays(sentinel, journal.stdout)).toBe(false)
    },
    timeout,
  )

  it(
    'announces an uninstallation in check mode, and changes nothing when it runs twice',
    async () => {
      succeeded(await play(operator, host, 'uninstall.yaml', ['--check']))
      expect(await entered(host, { port: 8090, password })).toBe(200)
      succeeded(await play(operator, host, 'uninstall.yaml'))
      const again = await play(operator, host, 'uninstall.yaml')
      succeeded(again)
      expect(changedIn(again)).toBe(0)
      expect(await remains(host)).toBe('')
      const known = new Set(before)
      const left = (await everything()).filter((path) => !known.has(path))
      expect(left.filter((path) => !renderEngines.ansible.own.test(path))).toEqual([])
    },
    timeout,
  )

  it(
    'had the end state of muster install, file by file',
    async () => {
      await render()
      succeeded(await operator.muster(['install', '--yes', 'alpha.yaml']))
      expect(installed).toBe(await endState(host))
    },
    timeout,
  )
})
