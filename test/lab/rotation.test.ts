import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callAll } from '../../src/client/call.ts'
import { clusterFile } from './scenario/clusterFile.ts'
import { remains } from './scenario/hostState.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import type { Outcome } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

/** A kept password on three hosts: one loses its power in the middle, and the operator's program is killed once. */
describe.skipIf(labHere.missing)(`a password that is rotated${labHere.needs}`, () => {
  const names = ['db1', 'db2', 'db3']
  const ports = { manager: 8090, connector: 8096, replicator: 8097 } as const
  let lab: Lab
  let operator: Operator
  let hosts: readonly LabHost[]
  let text: string

  const succeeds = (outcome: Outcome): Outcome => {
    expect(outcome.code, `${outcome.stdout}${outcome.stderr}`).toBe(0)
    return outcome
  }
  const state = (name: string): string =>
    readFileSync(join(operator.directory, '.muster/alpha', name), 'utf8')
  const admin = (): { password: string; pending?: string[] } => JSON.parse(state('secrets.json')).users.admin
  /** The statuses of all APIs of a host, as the operator's machine sees them. */
  const enter = async ({ address }: LabHost, password: string, user = 'admin') => {
    const results = await callAll(
      Object.entries(ports).map(([id, port]) => ({
        id,
        method: 'GET' as const,
        path: `/api/v2/user/${user}`,
        target: { address, port, authorities: [state('authority.crt')] },
        credentials: { user, password },
        timeout: 10_000,
      })),
    )
    return results.map((one) => ('status' in one ? one.status : one.error.code))
  }
  const all = (status: number) => [status, status, status]

  beforeAll(async () => {
    lab = await startLab({ hosts: names, node: true })
    hosts = names.map((name) => hostOf(lab, name))
    operator = createOperator(lab, 'operator', 'unused')
    const wish = { cluster: 'alpha', topology: 'clustered', hosts: names.map((name) => ({ name })) } as const
    text = clusterFile(lab, wish).replace(/^ *rest-api-admin-pass:.*\n/m, '')
    operator.write('alpha.yaml', text)
    succeeds(await operator.muster(['install', '--yes', 'alpha.yaml']))
  })
  afterAll(() => lab?.stop())

  it('goes on after a kill and a lost host, with a known login on each host at every moment', async () => {
    const { password: old } = admin()
    const [db1, , db3] = hosts
    if (db1 === undefined || db3 === undefined) throw new Error('no hosts')
    const rotate = ['users', 'rotate', 'admin', '--yes', '--lock-wait', '1m', 'alpha.yaml']
    let pid = 0
    const killed = operator.muster(rotate, {
      onStart: (started) => {
        pid = started
      },
    })
    // The state has both before any host has the new one.
    await expect.poll(() => admin().pending, { timeout: 60_000, interval: 5 }).toEqual([old])
    process.kill(pid, 'SIGKILL')
    await killed
    const { password: next } = admin()
    for (const host of hosts) {
      const taken = [await enter(host, next), await enter(host, old), await enter(host, next)]
      for (const [index] of Object.keys(ports).entries())
        expect(taken.map((one) => one[index])).toContain(200)
    }

    await db3.kill()
    const behind = await operator.muster(rotate)
    expect(behind.code, behind.stderr).toBe(4)
    expect(behind.stdout).toContain('db3 may still have the old password of admin')
    expect(admin()).toEqual({ ...admin(), password: next, pending: [old] })
    expect(await enter(db1, next)).toEqual(all(200))
    expect(await enter(db1, old)).toEqual(all(401))

    await db3.boot()
    const mended = succeeds(
      await operator.muster(['users', 'apply', '--yes', '--lock-wait', '1m', 'alpha.yaml']),
    )
    expect(mended.stdout).toMatch(/^db3 .*logins verified/m)
    for (const host of hosts) {
      expect(await enter(host, next)).toEqual(all(200))
      expect(await enter(host, old)).toEqual(all(401))
    }
    expect(admin().pending).toBeUndefined()
    // Once at most: a run that is killed early shows it to nobody, and the state directory has it.
    expect(operator.printed().split(next).length).toBeLessThanOrEqual(2)
  })

  it('leaves nothing behind', async () => {
    succeeds(await operator.muster(['uninstall', '--yes', '--purge', 'alpha.yaml']))
    for (const host of hosts) expect(await remains(host)).toBe('')
  })
})
