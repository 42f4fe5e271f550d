import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterFile } from './scenario/clusterFile.ts'
import { remains } from './scenario/hostState.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import type { Outcome } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

/** Two people with the same file and a folder each: only the hosts can keep them apart. */
describe.skipIf(labHere.missing)(`two operators at once${labHere.needs}`, () => {
  const names = ['db1', 'db2']
  let lab: Lab
  let hosts: readonly LabHost[]
  let first: Operator
  let second: Operator

  /** Hosts on which a run holds the lock. */
  const held = (): readonly string[] =>
    hosts
      .filter((host) => {
        const place = join(host.root(), 'run/muster')
        return existsSync(place) && readdirSync(place).some((name) => name !== 'gate')
      })
      .map(({ name }) => name)
  const succeeds = (outcome: Outcome): void => {
    expect(outcome.code, `${outcome.stdout}${outcome.stderr}`).toBe(0)
  }

  beforeAll(async () => {
    lab = await startLab({ hosts: names, ops: ['db2'], node: true })
    hosts = names.map((name) => hostOf(lab, name))
    const { password } = makeSentinel()
    first = createOperator(lab, 'first', password)
    second = createOperator(lab, 'second', password)
    const text = clusterFile(lab, {
      cluster: 'alpha',
      topology: 'clustered',
      hosts: names.map((name) => ({ name, ops: name !== 'db1' })),
    })
    for (const operator of [first, second]) operator.write('alpha.yaml', text)
    succeeds(await first.muster(['install', '--yes', 'alpha.yaml']))
  })
  afterAll(() => lab?.stop())

  it('has no lock left after a run, and a line of each change on each host', () => {
    expect(held()).toEqual([])
    for (const host of hosts) {
      const lines = readFileSync(join(host.root(), 'opt/muster/deployment.jsonl'), 'utf8')
        .trimEnd()
        .split('\n')
      const changes = lines.map((line) => JSON.parse(line))
      expect(changes.at(-1)).toMatchObject({ operation: 'install', cluster: 'alpha', outcome: 'done' })
    }
  })

  it('restarts twice with --lock-wait, one run after the other', async () => {
    const args = ['restart', '--yes', '--lock-wait', '2m', 'alpha.yaml']
    for (const outcome of await Promise.all([first.muster(args), second.muster(args)])) succeeds(outcome)
    expect(held()).toEqual([])
  })

  it('keeps the second out without it, exit code 5', async () => {
    const args = ['restart', '--yes', 'alpha.yaml']
    let pid = 0
    const running = first.muster(args, {
      onStart: (started) => {
        pid = started
      },
    })
    await expect.poll(() => held().length, { timeout: 60_000, interval: 20 }).toBe(2)
    // However long the second takes, the first is still at it.
    process.kill(pid, 'SIGSTOP')
    const refused = await second.muster(args).finally(() => process.kill(pid, 'SIGCONT'))
    expect(refused.code).toBe(5)
    expect(refused.stderr).toContain('another run holds the lock of this host')
    succeeds(await running)
    expect(held()).toEqual([])
  })

  it('goes on at once after an owner that was killed', async () => {
    let pid = 0
    const killed = second.muster(['restart', '--yes', 'alpha.yaml'], {
      onStart: (started) => {
        pid = started
      },
    })
    await expect.poll(() => held().length, { timeout: 60_000, interval: 20 }).toBe(2)
    process.kill(pid, 'SIGKILL')
    await killed
    succeeds(await first.muster(['install', '--yes', 'alpha.yaml']))
    expect(held()).toEqual([])
  })

  it('has no lock of a run that lost the power of its host', async () => {
    const db2 = hostOf(lab, 'db2')
    const running = second.muster(['restart', '--yes', 'alpha.yaml'])
    await expect.poll(() => held().includes('db2'), { timeout: 60_000, interval: 20 }).toBe(true)
    await db2.kill()
    expect((await running).code).not.toBe(0)
    await db2.boot()
    succeeds(await first.muster(['install', '--yes', '--lock-wait', '1m', 'alpha.yaml']))
    expect(held()).toEqual([])
  })

  it('leaves nothing behind', async () => {
    succeeds(await first.muster(['uninstall', '--yes', '--purge', 'alpha.yaml']))
    for (const host of hosts) expect(await remains(host)).toBe('')
  })
})
