import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callFrom, portFrom, statusOf, trustAuthority } from './scenario/apiFromHost.ts'
import { clusterFile } from './scenario/clusterFile.ts'
import { pidsOf, remains } from './scenario/hostState.ts'
import { createOperator } from './scenario/operator.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab } from './support/labTypes.ts'
import { pinnedNode } from './support/pinnedNode.ts'
import { labHere } from './support/requirements.ts'

describe.skipIf(labHere.missing)(`a replicator-only host${labHere.needs}`, () => {
  let lab: Lab
  beforeAll(async () => {
    lab = await startLab({ hosts: ['db4', 'visitor'] })
  })
  afterAll(() => lab?.stop())

  it('exposes the replicator alone: 8090 and 8096 are closed, 8097 answers with the authority', async () => {
    const { password } = makeSentinel()
    const operator = createOperator(lab, 'operator', password)
    const wish = { cluster: 'copies', topology: 'replicator', hosts: [{ name: 'db4' }] } as const
    operator.write('copies.yaml', clusterFile(lab, wish))
    const install = await operator.muster(['install', '--yes', 'copies.yaml'])
    expect(install, `${install.stdout}${install.stderr}`).toMatchObject({ code: 0 })

    const [db4, visitor] = [hostOf(lab, 'db4'), hostOf(lab, 'visitor')]
    for (const from of [db4, visitor]) {
      expect(await portFrom(from, db4.address, 8090)).toBe('refused')
      expect(await portFrom(from, db4.address, 8096)).toBe('refused')
    }
    await trustAuthority(visitor, join(operator.directory, '.muster', 'copies', 'authority.crt'))
    const call = { address: db4.address, port: 8097, user: 'admin', password }
    const answer = await callFrom(visitor, { ...call, path: '/api/v2/user/admin' })
    expect(statusOf(answer), answer.stdout + answer.stderr).toBe(200)
    expect(await pidsOf(db4, 'copies')).toMatchObject({ manager: 0, connector: 0 })

    const uninstall = await operator.muster(['uninstall', '--yes', '--purge', 'copies.yaml'])
    expect(uninstall, uninstall.stderr).toMatchObject({ code: 0 })
    expect(await remains(db4)).toBe('')
  })

  it("runs on the host's own Node.js while only root can change it, and on one that is sent otherwise", async () => {
    const { password } = makeSentinel()
    const operator = createOperator(lab, 'thrifty', password)
    operator.write(
      'own.yaml',
      clusterFile(lab, { cluster: 'own', topology: 'replicator', hosts: [{ name: 'db4' }] }),
    )
    const db4 = hostOf(lab, 'db4')
    const own = '/usr/local/bin/node'
    writeFileSync(join(db4.root(), own), await pinnedNode(), { mode: 0o755 })
    const install = await operator.muster(['install', '--yes', 'own.yaml'])
    expect(install, `${install.stdout}${install.stderr}`).toMatchObject({ code: 0 })
    const used = async (): Promise<string> =>
      (await db4.run('readlink -f /opt/muster/current/node; ls /opt/muster/runtimes')).stdout.trim()
    expect(await used()).toBe(own)

    await db4.run(`chown daemon ${own}`)
    const mend = await operator.muster(['install', '--yes', 'own.yaml'])
    expect(mend, `${mend.stdout}${mend.stderr}`).toMatchObject({ code: 0 })
    expect(await used()).toMatch(/^\/opt\/muster\/runtimes\/(node-[\d.]+-\w+)\/node\n\1$/)

    const uninstall = await operator.muster(['uninstall', '--yes', '--purge', 'own.yaml'])
    expect(uninstall, uninstall.stderr).toMatchObject({ code: 0 })
    await db4.run(`rm ${own}`)
  })
})
