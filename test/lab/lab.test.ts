import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processesOf } from './support/cgroups.ts'
import { eventually } from './support/eventually.ts'
import { execute } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab } from './support/labTypes.ts'
import { machineOf } from './support/names.ts'
import { argumentsOf, processIds, runs } from './support/processTable.ts'
import { greets } from './support/ready.ts'
import { labHere } from './support/requirements.ts'
import { sshArguments } from './support/sshArguments.ts'

describe.skipIf(labHere.missing)(`the lab itself${labHere.needs}`, () => {
  let lab: Lab
  beforeAll(async () => {
    lab = await startLab({ hosts: ['db1', 'db2', 'db3'], ops: ['db2'] })
  })
  afterAll(() => lab?.stop())

  it('boots Debian hosts with systemd and without Node.js, each with a name and machine id of its own', async () => {
    const hosts = Object.values(lab.hosts)
    const answers = await Promise.all(
      hosts.map((host) =>
        host.run('hostname; cat /etc/machine-id; ps -o comm= 1; command -v node || echo none'),
      ),
    )
    expect(answers.map((answer) => answer.stderr)).toEqual(['', '', ''])
    const lines = answers.map((answer) => answer.stdout.trim().split('\n'))
    expect(lines.map(([name]) => name)).toEqual(['db1', 'db2', 'db3'])
    expect(new Set(lines.map(([, machineId]) => machineId)).size).toBe(3)
    expect(lines.map(([, , init, node]) => [init, node])).toEqual(Array(3).fill(['systemd', 'none']))
  })

  it('gives each host an SSH key of its own, and the hosts reach each other by name', async () => {
    expect(new Set(Object.values(lab.hosts).map((host) => host.hostKey())).size).toBe(3)
    const answer = await hostOf(lab, 'db3').run('exec 3<>/dev/tcp/db1/22; head -c 8 <&3')
    expect(answer.stdout).toBe('SSH-2.0-')
  })

  it('hands scripts their standard input and exit code', async () => {
    const answer = await hostOf(lab, 'db1').run('cat; exit 7', { stdin: 'é\n' })
    expect(answer).toEqual({ code: 7, stdout: 'é\n', stderr: '' })
  })

  it('has a user ops who may sudo where asked for, and nowhere else', async () => {
    const [db1, db2] = [hostOf(lab, 'db1'), hostOf(lab, 'db2')]
    const answer = await execute('ssh', [
      ...sshArguments(lab, `ops@${db2.address}`),
      'id -un; sudo -n id -un',
    ])
    expect(answer.stdout).toBe('ops\nroot\n')
    const refused = await execute('ssh', [...sshArguments(lab, `ops@${db1.address}`), 'true'])
    expect(refused.code).toBe(255)
  })

  it('shows the files of a host as its processes see them', async () => {
    const host = hostOf(lab, 'db2')
    await host.run('echo here > /run/proof')
    expect(readFileSync(`${host.root()}/run/proof`, 'utf8')).toBe('here\n')
  })

  it('kills one host as if by its power cord, and boots it again with the same files', async () => {
    const host = hostOf(lab, 'db3')
    const before = await host.run('cat /etc/machine-id')
    await host.kill()
    expect(await greets(host.address)).toBe(false)
    expect(await greets(hostOf(lab, 'db1').address)).toBe(true)
    await host.boot()
    expect(await host.run('cat /etc/machine-id')).toEqual(before)
  })

  it('leaves nothing behind, also of a host that outlives what runs it', async () => {
    const run = dirname(lab.directory)
    const id = run.split('/').at(-1) ?? ''
    const programs = processIds().filter((pid) => argumentsOf(pid).some((word) => word.includes(run)))
    expect(programs.length).toBeGreaterThanOrEqual(3)
    const [first] = programs.filter((pid) => argumentsOf(pid).includes(`--machine=${machineOf(id, 'db1')}`))
    const ofHost = processesOf(machineOf(id, 'db1'))
    expect(ofHost.length).toBeGreaterThan(3)
    process.kill(first ?? 0, 'SIGKILL')
    await eventually('the end of systemd-nspawn', () => first !== undefined && !runs(first))
    const ours = [...programs, ...ofHost]
    await lab.stop()
    expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(run)
    expect((await execute('ip', ['-o', 'link'])).stdout).not.toContain(id)
    expect(existsSync(run)).toBe(false)
    await eventually('the end of its processes', () => ours.every((pid) => !runs(pid)))
  })
})
