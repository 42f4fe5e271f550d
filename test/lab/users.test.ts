import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterFile } from './scenario/clusterFile.ts'
import { remains } from './scenario/hostState.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { betrays, makeSentinel } from './scenario/sentinel.ts'
import type { Outcome } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

const names = ['db1', 'db2', 'db3']
const ports = [8090, 8096, 8097]

/** Users of three hosts, one of which loses its power in the middle. */
describe.skipIf(labHere.missing)(`the users of hosts${labHere.needs}`, () => {
  const [first, second] = [makeSentinel(), makeSentinel()]
  let lab: Lab
  let hosts: readonly LabHost[]
  let operator: Operator

  const succeeds = (outcome: Outcome): Outcome => {
    expect(outcome.code, `${outcome.stdout}${outcome.stderr}`).toBe(0)
    return outcome
  }
  const users = (operation: string, ...argv: readonly string[]) =>
    operator.muster(['users', operation, ...argv, 'alpha.yaml'])
  const wish = (defaults: readonly string[]): void => {
    const hostsOf = names.map((name) => ({ name }))
    operator.write(
      'alpha.yaml',
      clusterFile(lab, { cluster: 'alpha', topology: 'clustered', hosts: hostsOf, defaults }),
    )
  }
  const login = (host: LabHost, port: number, user: string, password: string): Promise<number | string> =>
    new Promise((resolve) => {
      const ca = readFileSync(join(operator.directory, '.muster/alpha/authority.crt'))
      const path = `/api/v2/user/${user}`
      const call = request(
        { host: host.address, port, path, ca, auth: `${user}:${password}`, agent: false },
        (answer) => {
          answer.resume()
          answer.on('end', () => resolve(answer.statusCode ?? 0))
        },
      )
      call.on('error', (error) => resolve(error.message))
      call.end()
    })
  const enter = (on: readonly LabHost[], user: string, password: string) =>
    Promise.all(on.flatMap((host) => ports.map((port) => login(host, port, user, password))))
  const all = (status: number, on: readonly LabHost[] = hosts): readonly number[] =>
    on.flatMap(() => ports.map(() => status))

  /** The administrator logs in at every API of these hosts all the while; no login may be refused. */
  async function underLoad<Result>(on: readonly LabHost[], work: () => Promise<Result>): Promise<Result> {
    const refused: (number | string)[] = []
    let [ended, made] = [false, 0]
    const loops = on.flatMap((host) =>
      ports.map(async (port) => {
        while (!ended) {
          const status = await login(host, port, 'admin', first.password)
          made += 1
          if (status !== 200) refused.push(status)
        }
      }),
    )
    const result = await work()
    const meanwhile = made
    ended = true
    await Promise.all(loops)
    expect(refused).toEqual([])
    // How many there are is a matter of the machine's speed.
    expect(meanwhile).toBeGreaterThan(0)
    return result
  }

  beforeAll(async () => {
    lab = await startLab({ hosts: names, node: true })
    hosts = names.map((name) => hostOf(lab, name))
    operator = createOperator(lab, 'operator', first.password)
    wish([])
    succeeds(await operator.muster(['install', '--yes', 'alpha.yaml']))
  })
  afterAll(() => lab?.stop())

  it('are made on all hosts while others log in, and let in at once', async () => {
    operator.write('ops-pass', second.password)
    wish(['rest-api-users: { ops: !file ops-pass, nightly: }'])
    const started = `systemctl show -p MainPID 'muster-alpha-*'`
    const before = await Promise.all(hosts.map(async (host) => (await host.run(started)).stdout))
    const outcome = succeeds(await underLoad(hosts, () => users('apply', '--yes')))
    expect(await enter(hosts, 'ops', second.password)).toEqual(all(200))
    expect(await Promise.all(hosts.map(async (host) => (await host.run(started)).stdout))).toEqual(before)
    expect(outcome.stdout.match(/logins verified/g)?.length).toBeGreaterThanOrEqual(3)
    expect(succeeds(await users('verify')).stdout).toContain('27 logins verified on 9 APIs')
    expect(succeeds(await users('apply', '--yes')).stdout).toContain('nothing to do on 3 hosts')
  })

  it('come through the loss of a host in the middle: it is named, and the next run mends it', async () => {
    const db2 = hostOf(lab, 'db2')
    const others = hosts.filter((host) => host !== db2)
    operator.write('ops-pass', first.password)
    const held = (): boolean => {
      const place = join(db2.root(), 'run/muster')
      return existsSync(place) && readdirSync(place).some((name) => name !== 'gate')
    }
    const outcome = await underLoad(others, async () => {
      const running = users('apply', '--yes')
      await expect.poll(held, { timeout: 60_000, interval: 5 }).toBe(true)
      await db2.kill()
      return running
    })
    expect(outcome.code, outcome.stdout).not.toBe(0)
    expect(`${outcome.stdout}${outcome.stderr}`).toMatch(/db2/)
    // Each host has the old password or the new one, none of them neither.
    const [old, now] = [
      await enter(others, 'ops', second.password),
      await enter(others, 'ops', first.password),
    ]
    expect(old.map((status, index) => status === 200 || now[index] === 200)).toEqual(
      all(200, others).map(() => true),
    )
    const verified = await users('verify', '--json')
    expect(verified.code).toBeGreaterThan(0)
    expect(JSON.parse(verified.stdout).findings).toContainEqual(
      expect.objectContaining({ host: 'db2', code: 'user-host-unreachable' }),
    )
    const listed = await users('list')
    expect(listed.code).toBe(4)
    expect(listed.stdout).toMatch(/^db2 +unreachable$/m)
    await db2.boot()
    succeeds(await users('apply', '--yes', '--lock-wait', '1m'))
    expect(await enter(hosts, 'ops', first.password)).toEqual(all(200))
    expect(await enter(hosts, 'ops', second.password)).toEqual(all(401))
    succeeds(await users('verify'))
  })

  it('whom the file does not name go with --prune, and nothing that was printed tells a password', async () => {
    wish([])
    expect(succeeds(await users('apply', '--yes')).stdout).toContain(
      'have ops and nightly, not in the file; --prune would remove them',
    )
    succeeds(await users('apply', '--yes', '--prune'))
    expect(await enter(hosts, 'ops', first.password)).toEqual(all(401))
    expect(await enter(hosts, 'admin', first.password)).toEqual(all(200))
    for (const secret of [first, second]) expect(betrays(secret, Buffer.from(operator.printed()))).toBe(false)
    succeeds(await operator.muster(['uninstall', '--yes', '--purge', 'alpha.yaml']))
    for (const host of hosts) expect(await remains(host)).toBe('')
  })
})
