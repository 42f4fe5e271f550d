import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterFile, type HostWish } from './scenario/clusterFile.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import { execute, type Outcome } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

const names = ['db1', 'db2', 'db3']
const chain = '/opt/muster/share/tls/chain.pem'

type Listed = {
  readonly host: string
  readonly state: string
  readonly onDisk: { readonly names: readonly string[]; readonly daysLeft: number } | null
  readonly components: readonly { readonly component: string; readonly asOnDisk?: boolean }[]
}

describe.skipIf(labHere.missing)(`looking at certificates${labHere.needs}`, () => {
  let lab: Lab
  let db2: LabHost
  let db3: LabHost
  let operator: Operator

  const cert = (...args: readonly string[]): Promise<Outcome> => operator.muster(['cert', ...args])
  const list = async (): Promise<{ readonly code: number | null; readonly hosts: readonly Listed[] }> => {
    const { code, stdout } = await cert('list', '--json', 'alpha.yaml')
    return { code, hosts: JSON.parse(stdout).hosts }
  }
  const check = async (): Promise<{ readonly code: number | null; readonly codes: readonly string[] }> => {
    const { code, stdout } = await cert('check', '--json', 'alpha.yaml')
    const { findings }: { findings: readonly { readonly code: string; readonly message: string }[] } =
      JSON.parse(stdout)
    return { code, codes: findings.map((one) => `${one.message.match(/db\d/)?.[0]} ${one.code}`) }
  }

  beforeAll(async () => {
    lab = await startLab({ hosts: names, ops: ['db2', 'db3'], node: true })
    db2 = hostOf(lab, 'db2')
    db3 = hostOf(lab, 'db3')
    operator = createOperator(lab, 'operator', makeSentinel().password)
    const hosts = names.map((name): HostWish => ({ name, ops: name !== 'db1' }))
    operator.write('alpha.yaml', clusterFile(lab, { cluster: 'alpha', topology: 'clustered', hosts }))
    const installed = await operator.muster(['install', '--yes', 'alpha.yaml'])
    expect(installed, `${installed.stdout}${installed.stderr}`).toMatchObject({ code: 0 })
  })
  afterAll(() => lab?.stop())

  it('sees what lies on each host and what each API serves', async () => {
    const { code, hosts } = await list()
    expect(code).toBe(0)
    expect(hosts.map(({ host }) => host)).toEqual(names)
    for (const { host, onDisk, components } of hosts) {
      expect(onDisk?.names).toEqual(expect.arrayContaining([host, hostOf(lab, host).address, 'localhost']))
      expect(components.map(({ component, asOnDisk }) => [component, asOnDisk])).toEqual([
        ['manager', true],
        ['connector', true],
        ['replicator', true],
      ])
    }
    expect(await check()).toEqual({ code: 0, codes: [] })
  })

  it('exports what lets a client trust every host', async () => {
    expect((await cert('export', 'alpha.yaml', '--out', 'alpha.crt')).code).toBe(0)
    for (const name of names) {
      const url = `https://${hostOf(lab, name).address}:8090/api/v2/ping`
      const argv = [
        '-q',
        '-s',
        '-S',
        '--max-time',
        '10',
        '--cacert',
        join(operator.directory, 'alpha.crt'),
        url,
      ]
      const called = await execute('curl', argv, { timeout: 20_000 })
      expect(called, called.stderr).toMatchObject({ code: 0 })
    }
  })

  it('finds a certificate on the disk that no server took up', async () => {
    const { stdout: own } = await db2.run(`cat ${chain}`)
    const { stdout: other } = await hostOf(lab, 'db1').run(`cat ${chain}`)
    await db2.run(`cat > ${chain}`, { stdin: other })
    expect(await check()).toEqual({
      code: 1,
      codes: ['db2 certificate-names', 'db2 certificate-not-served', 'db2 certificate-pending'],
    })
    await db2.run(`cat > ${chain}`, { stdin: own })
    expect(await check()).toEqual({ code: 0, codes: [] })
  })

  it('tells a host that is down, and of the others what it sees', async () => {
    await db3.kill()
    const { code, hosts } = await list()
    expect(code).toBe(4)
    expect(hosts.map(({ host, state }) => `${host} ${state}`)).toEqual([
      'db1 up',
      'db2 up',
      'db3 unreachable',
    ])
    expect(hosts[1]?.components.every(({ asOnDisk }) => asOnDisk)).toBe(true)
    expect(await check()).toEqual({ code: 4, codes: ['db3 certificate-host-unreachable'] })
    await db3.boot()
    expect((await check()).code).toBe(0)
  })
})
