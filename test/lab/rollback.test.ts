import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pidsOf } from './scenario/hostState.ts'
import { installAlpha } from './scenario/installed.ts'
import { currentOf, entered, must } from './scenario/onHost.ts'
import type { Operator } from './scenario/operator.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

const names = ['db1', 'db2']

describe.skipIf(labHere.missing)(`muster rollback on Debian hosts${labHere.needs}`, () => {
  const { password } = makeSentinel()
  let lab: Lab
  let operator: Operator
  let file = ''
  let installed = ''
  const hosts = (): readonly LabHost[] => names.map((name) => hostOf(lab, name))

  const enter = (host: LabHost) => entered(host, { port: 8097, password })
  /** A release beside the installed one, which does what `program` says and else what the installed one does. */
  const put = (host: LabHost, id: string, program: string) =>
    must(
      host,
      `umask 022; cd /opt/muster/releases; cp -a ${installed} ${id}; rm -f ${id}/.activated; cat > ${id}/muster-api.cjs`,
      `const [, , command] = process.argv\n${program}\nelse require('../${installed}/muster-api.cjs')\n`,
    )

  beforeAll(async () => {
    lab = await startLab({ hosts: names })
    ;({ operator, file } = await installAlpha(lab, names, password))
    installed = await currentOf(hostOf(lab, 'db1'))
  })
  afterAll(() => lab?.stop())

  it('goes to the named release on both hosts, restarts every unit, and install brings the present one back', async () => {
    const before = await Promise.all(hosts().map((host) => pidsOf(host, 'alpha')))
    for (const host of hosts())
      await put(host, '0.0.1-0123456789ab', 'if (command === "none") process.exit(0)')
    const outcome = await operator.muster(['rollback', '--yes', '--to', '0.0.1-0123456789ab', file])
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 })
    expect(outcome.stdout).toMatch(/^db2 +done: 1 change, logins verified/m)
    for (const [index, host] of hosts().entries()) {
      expect(await currentOf(host)).toBe('0.0.1-0123456789ab')
      const pids = Object.values(await pidsOf(host, 'alpha'))
      expect(pids).not.toContain(0)
      expect(pids.filter((pid) => Object.values(before[index] ?? {}).includes(pid))).toEqual([])
      expect(await enter(host)).toBe(200)
    }
    const again = await operator.muster(['install', '--yes', file])
    expect(again, again.stderr).toMatchObject({ code: 0 })
    for (const host of hosts()) expect(await currentOf(host)).toBe(installed)
    expect((await operator.muster(['plan', file])).code).toBe(0)
  })

  it('brings the release that ran back on the host where the older one exits at its start', async () => {
    const [one, two] = [hostOf(lab, 'db1'), hostOf(lab, 'db2')]
    await put(one, '0.0.2-0123456789ab', 'if (command === "none") process.exit(0)')
    await put(two, '0.0.2-0123456789ab', 'if (command === "serve") process.exit(3)')
    const outcome = await operator.muster(['rollback', '--yes', '--to', '0.0.2-0123456789ab', file])
    expect(outcome.code).toBe(1)
    expect(outcome.stderr).toContain(`Undone: switch from ${installed} back to release 0.0.2-0123456789ab.`)
    expect(await currentOf(one)).toBe('0.0.2-0123456789ab')
    expect(await currentOf(two)).toBe(installed)
    for (const host of hosts()) expect(await enter(host)).toBe(200)
    expect(Object.values(await pidsOf(two, 'alpha'))).not.toContain(0)
    const again = await operator.muster(['install', '--yes', file])
    expect(again, again.stderr).toMatchObject({ code: 0 })
    expect((await operator.muster(['plan', file])).code).toBe(0)
  })
})
