import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { portFrom } from './scenario/apiFromHost.ts'
import { clusterFile, type HostWish } from './scenario/clusterFile.ts'
import { everythingOn, installationState, pidsOf, remains } from './scenario/hostState.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { changingHosts, hostStates } from './scenario/reports.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

const names = ['db1', 'db2', 'db3']
const ports = [8090, 8096, 8097]

describe.skipIf(labHere.missing)(`a running installation${labHere.needs}`, () => {
  let lab: Lab
  let db1: LabHost
  let db2: LabHost
  let db3: LabHost
  let operator: Operator
  let pristine: readonly (readonly string[])[]

  const write = (db2Options?: readonly string[]): void => {
    const hosts = names.map(
      (name): HostWish => ({
        name,
        ops: name !== 'db1',
        ...(name === 'db2' && db2Options !== undefined ? { options: db2Options } : {}),
      }),
    )
    operator.write('alpha.yaml', clusterFile(lab, { cluster: 'alpha', topology: 'clustered', hosts }))
  }
  const succeeds = async (args: readonly string[]): Promise<void> => {
    const outcome = await operator.muster([...args, 'alpha.yaml'])
    expect(outcome, `${outcome.stdout}${outcome.stderr}`).toMatchObject({ code: 0 })
  }
  const portsOf = (host: LabHost, from: LabHost) =>
    Promise.all(ports.map((port) => portFrom(from, host.address, port)))
  const all = (value: string) => ports.map(() => value)

  beforeAll(async () => {
    lab = await startLab({ hosts: names, ops: ['db2', 'db3'], node: true })
    db1 = hostOf(lab, 'db1')
    db2 = hostOf(lab, 'db2')
    db3 = hostOf(lab, 'db3')
    pristine = await Promise.all([db1, db2, db3].map(everythingOn))
    operator = createOperator(lab, 'operator', makeSentinel().password)
    write()
    await succeeds(['install', '--yes'])
  })
  afterAll(() => lab?.stop())

  it('asks before it changes hosts, and where nobody can answer it changes nothing', async () => {
    const before = await pidsOf(db1, 'alpha')
    for (const command of ['stop', 'restart', 'uninstall']) {
      const refused = await operator.muster([command, 'alpha.yaml'])
      expect(refused.code, command).toBe(3)
      expect(refused.stderr).toContain('--yes')
    }
    expect(await pidsOf(db1, 'alpha')).toEqual(before)
  })

  it('stops, starts and restarts every component of every host', async () => {
    await succeeds(['stop', '--yes'])
    expect(await portsOf(db1, db2)).toEqual(all('refused'))
    expect(await pidsOf(db3, 'alpha')).toEqual({ manager: 0, connector: 0, replicator: 0 })
    await succeeds(['start', '--yes'])
    expect(await portsOf(db1, db2)).toEqual(all('open'))
    expect(await portsOf(db3, db2)).toEqual(all('open'))
    const before = Object.values(await pidsOf(db2, 'alpha'))
    await succeeds(['restart', '--yes'])
    const after = Object.values(await pidsOf(db2, 'alpha'))
    expect(after.filter((pid) => pid === 0 || before.includes(pid))).toEqual([])
    expect(await portsOf(db2, db1)).toEqual(all('open'))
  })

  it('shows the newest lines of the journal, as many as are wanted and since when they are wanted', async () => {
    await db1.run('journalctl --rotate')
    await succeeds(['restart', '--yes', '--host', 'db1'])
    await succeeds(['stop', '--yes', '--host', 'db1'])
    await db1.run('logger later')
    const lines = async (...options: readonly string[]): Promise<readonly string[]> => {
      const { stdout } = await operator.muster(['logs', '--json', '--host', 'db1', ...options, 'alpha.yaml'])
      return stdout.split('\n').filter((line) => line !== '')
    }
    const all = await lines('--lines', '10000')
    expect(all.length).toBeGreaterThan(9)
    expect(await lines('--lines', '2')).toEqual(all.slice(-2))
    expect(await lines('--lines', '2', '--since', '10m')).toEqual(all.slice(-2))
    expect(await lines('--lines', '9', '--since', '10m')).toEqual(all.slice(-9))
    await succeeds(['start', '--yes', '--host', 'db1'])
  })

  it('restarts more often in a row than systemd would put up with by itself', async () => {
    for (const _ of [1, 2, 3, 4, 5, 6]) await succeeds(['restart', '--yes'])
    expect(await portsOf(db1, db2)).toEqual(all('open'))
  })

  it('closes one API of one host by its switch; its socket answers, and of other hosts only the managers learn it', async () => {
    // What each of their dashboards shows of the others is in the settings of a manager.
    const withoutManager = async (host: LabHost): Promise<unknown> => ({
      ...(await pidsOf(host, 'alpha')),
      manager: null,
    })
    const before = await Promise.all([db1, db3].map(withoutManager))
    write(['manager-rest-api: false'])
    expect(changingHosts(await operator.muster(['plan', '--json', 'alpha.yaml']))).toEqual([
      'db1',
      'db2',
      'db3',
    ])
    await succeeds(['install', '--yes'])
    expect(await portsOf(db2, db1)).toEqual(['refused', 'open', 'open'])
    expect(await Promise.all([db1, db3].map(withoutManager))).toEqual(before)

    const ask = 'curl -q -sS --unix-socket /run/muster-alpha/manager/api.sock http://localhost/api/v2/ping'
    const ping = await db2.run(ask)
    expect(JSON.parse(ping.stdout || '{}'), ping.stderr).toMatchObject({ payloadType: 'PingPayload' })
    expect((await db2.run(`su ops -c '${ask}'`)).code).not.toBe(0)

    write()
    await succeeds(['install', '--yes'])
    expect(await portsOf(db2, db1)).toEqual(all('open'))
  })

  it('puts a unit that somebody changed back by a kept plan, which shows the lines and no secret of theirs', async () => {
    const unit = '/etc/systemd/system/muster-alpha-manager.service'
    const others = await Promise.all([db1, db3].map(installationState))
    const before = await db2.run(`cat ${unit}`)
    await db2.run(
      `sed -i 's/^RestartSec=.*/RestartSec=99/; $a Environment=TOKEN=hunter2' ${unit}; systemctl daemon-reload`,
    )
    const plan = await operator.muster(['plan', '--out', 'alpha.plan', '--host', 'db2', 'alpha.yaml'])
    expect(plan.code).toBe(2)
    for (const line of ['- RestartSec=99', '+ RestartSec=2', '- Environment=[redacted]']) {
      expect(plan.stdout).toContain(`        ${line}\n`)
    }
    expect(plan.stdout + readFileSync(join(operator.directory, 'alpha.plan'), 'utf8')).not.toContain(
      'hunter2',
    )
    await succeeds(['install', '--plan', 'alpha.plan'])
    expect(await db2.run(`cat ${unit}`)).toEqual(before)
    expect(await Promise.all([db1, db3].map(installationState))).toEqual(others)
    await succeeds(['plan'])
    expect((await operator.muster(['install', '--plan', 'alpha.plan', 'alpha.yaml'])).code).toBe(1)
  })

  it('status calls a host without power unreachable, and the others what they are', async () => {
    await db3.kill()
    const status = await operator.muster(['status', '--json', 'alpha.yaml'])
    expect(status.code).toBe(4)
    expect(hostStates(status)).toEqual({ db1: 'up', db2: 'up', db3: 'unreachable' })
    const text = await operator.muster(['status', 'alpha.yaml'])
    expect(text.code).toBe(4)
    expect(text.stdout).toMatch(/^db3\s+unreachable/m)
  })

  it('every component is back by itself when the host has power again', async () => {
    await db3.boot()
    expect(await portsOf(db3, db1)).toEqual(all('open'))
    await succeeds(['status'])
    await succeeds(['plan'])
  })

  it('uninstalls without leaving anything but what --purge is for', async () => {
    await succeeds(['uninstall', '--yes'])
    expect(existsSync(join(operator.directory, '.muster', 'alpha', 'authority.key'))).toBe(true)
    for (const host of [db1, db2, db3]) expect(await remains(host)).toBe('')
    expect(await Promise.all([db1, db2, db3].map(everythingOn))).toEqual(pristine)
  })

  it('installs again with the authority it had, and uninstall --purge leaves nothing on either side', async () => {
    await succeeds(['install', '--yes'])
    expect(await portsOf(db1, db2)).toEqual(all('open'))
    await succeeds(['uninstall', '--yes', '--purge'])
    for (const host of [db1, db2, db3]) expect(await remains(host)).toBe('')
    expect(await Promise.all([db1, db2, db3].map(everythingOn))).toEqual(pristine)
    expect(existsSync(join(operator.directory, '.muster', 'alpha'))).toBe(false)
  })
})
