import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterFile } from './scenario/clusterFile.ts'
import { everythingOn, remains } from './scenario/hostState.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

describe.skipIf(labHere.missing)(`components as detached processes${labHere.needs}`, () => {
  let lab: Lab
  let operator: Operator
  let db5: LabHost
  let before: readonly string[]

  beforeAll(async () => {
    lab = await startLab({ hosts: ['db5'], ops: ['db5'] })
    db5 = hostOf(lab, 'db5')
    before = await everythingOn(db5)
    operator = createOperator(lab, 'operator', makeSentinel().password)
    write('process')
  })
  afterAll(() => lab?.stop())

  const write = (manager: string): void => {
    const host = { name: 'db5', ops: true, options: [`service-manager: ${manager}`] }
    operator.write('plain.yaml', clusterFile(lab, { cluster: 'plain', topology: 'clustered', hosts: [host] }))
  }

  const succeed = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await operator.muster([...words, 'plain.yaml'])
    expect(code, `${stdout}${stderr}`).toBe(0)
    return stdout
  }

  it('installs them as the system user, outliving our login, without a unit', async () => {
    await succeed('install', '--yes')
    const { stdout } = await db5.run(`ps -eo user:20,args | grep -c '^muster-plain .*[m]uster-api.cjs serve'
      ls /etc/systemd/system | grep -c '^muster'
      stat -c '%U %a' /opt/muster/data/manager.sock`)
    expect(stdout).toBe('3\n0\nmuster-plain 600\n')
    expect(await succeed('install', '--yes')).toContain('nothing to do')
    await succeed('status')
  })

  it('restarts them, each under another pid', async () => {
    const pids = async (): Promise<string[]> =>
      (await db5.run("cut -d' ' -f1 /opt/muster/share/processes/*")).stdout.trim().split('\n')
    const old = await pids()
    await succeed('restart', '--yes')
    const fresh = await pids()
    expect(fresh).toHaveLength(3)
    expect(fresh.filter((pid) => old.includes(pid))).toEqual([])
  })

  it('are told as stopped after the host was off, and start again', async () => {
    await db5.kill()
    await db5.boot()
    const status = await operator.muster(['status', '--json', 'plain.yaml'])
    expect(status.code).toBe(1)
    expect(status.stdout.match(/"service": "stopped"/g)).toHaveLength(3)
    await succeed('start', '--yes')
    await succeed('status')
  })

  it('become systemd services and processes again as the file says, never both at once', async () => {
    for (const [manager, units] of [
      ['systemd', 3],
      ['process', 0],
    ] as const) {
      write(manager)
      await succeed('install', '--yes')
      const { stdout } = await db5.run(`ps -eo args | grep -c '[m]uster-api.cjs serve'
        ls /etc/systemd/system | grep -c '^muster'
        ls /opt/muster/share/processes | wc -l`)
      expect(stdout).toBe(`3\n${units}\n${3 - units}\n`)
      expect(await succeed('install', '--yes')).toContain('nothing to do')
      await succeed('status')
    }
  })

  it('leave nothing behind', async () => {
    await succeed('uninstall', '--yes', '--purge')
    expect(await remains(db5)).toBe('')
    expect(await everythingOn(db5)).toEqual(before)
  })
})
