import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { desiredFile, loginOwner } from '../../src/deployment/desiredFile.ts'
import { factsScript } from '../../src/deployment/facts/factsScript.ts'
import { type HostFile, hostFiles, hostPaths } from '../../src/deployment/hostFiles.ts'
import { layoutOf } from '../../src/deployment/layout.ts'
import { uninstallPlan } from '../../src/deployment/plans/uninstallPlan.ts'
import { savedPlanOf } from '../../src/deployment/savedPlan/savePlan.ts'
import { restoreScript } from '../../src/deployment/snapshot/restoreScript.ts'
import { takeScript } from '../../src/deployment/snapshot/takeScript.ts'
import { fakeTransport } from '../support/fakeTransport.ts'
import { finishedFacts, targetOf } from './steps/target.ts'

describe('the files of a host', () => {
  it('are settings, passwords and the account, whatever else a step writes', () => {
    const { below } = hostPaths({ cluster: 'alpha', layout: layoutOf('/opt/muster') })
    const settings = ['manager', 'connector', 'replicator'].map((name) => `share/${name}.json`)
    expect(below.slice(0, 5)).toEqual([...settings, 'share/secrets.json', 'share/account'])
  })
})

describe('a file that is declared once', () => {
  const folder = mkdtempSync(join(tmpdir(), "muster o'-"))
  const declare = (path: HostFile['path']): HostFile => ({
    path,
    desired: ({ layout, cluster, facts }) =>
      desiredFile({
        path: path({ layout, cluster }),
        content: Buffer.from('one line\n'),
        ...{ mode: 0o644, owner: loginOwner(facts) },
      }),
  })
  const outside = join(folder, 'tmpfiles.d/muster-alpha.conf')
  const added = [
    declare(({ layout }) => `${layout.share}/added`),
    declare(({ cluster }) => join(folder, `tmpfiles.d/muster-${cluster}.conf`)),
  ]
  const list = hostFiles as HostFile[]

  beforeAll(() => list.push(...added))
  afterAll(() => {
    list.splice(-added.length)
    rmSync(folder, { recursive: true })
  })

  it('is among the facts, also outside the install-directory', () => {
    const script = factsScript({ cluster: 'alpha', layout: layoutOf('/opt/muster'), hostStores: [] }, 'nonce')
    expect(script).toContain(`${outside.replace("'", `'\\''`)}' "$root"/share/*; do if [ -f "$f" ]`)
  })

  it('has its digest in a saved plan unless the host has the file', () => {
    const filesFor = (facts = targetOf().facts) => {
      const target = targetOf({ facts })
      const { host } = target
      const config = { cluster: 'alpha', hosts: [host], services: [], excluded: [], directory: '/' }
      const plan = { host: host.name, steps: [] }
      const options = { state: { hosts: new Map() }, marks: new Map(), version: '1', now: new Date(0) }
      return savedPlanOf({ config, planned: [{ target, plan }], ...options } as never).hosts[0]?.files
    }
    const digest = desiredFile({ path: '', content: Buffer.from('one line\n'), mode: 0, owner: '' }).sha256
    expect(filesFor()).toMatchObject({ 'share/added': digest, [outside]: digest })
    expect(filesFor(finishedFacts(targetOf()))).toEqual({})
  })

  it('is removed by uninstall', async () => {
    const facts = finishedFacts(targetOf())
    const [, files] = uninstallPlan({ cluster: 'alpha', layout: layoutOf('/opt/muster'), facts })
    expect(files?.title).toMatch(
      /^remove \/opt\/muster, \/var\/lib\/muster-alpha, \/var\/log\/muster-alpha, /,
    )
    expect(files?.title.endsWith(`, ${outside}`)).toBe(true)
    const host = fakeTransport({ expect: [{ script: '' }] })
    await files?.apply(host, facts)
    const removal = host.scripts[0]?.split('\n').find((line) => line.startsWith('rm -rf'))
    expect(removal).toContain(outside.replace("'", `'\\''`))
    expect(removal).not.toContain('added')
  })

  it.skipIf(process.platform !== 'linux')('is restored from a snapshot, or removed again', () => {
    const root = join(folder, 'root')
    const paths = [join(root, 'share/added'), outside]
    for (const path of ['root/share', 'root/releases', 'tmpfiles.d'])
      mkdirSync(join(folder, path), { recursive: true })
    const data = targetOf({ host: { installDirectory: root, serviceManager: 'process' } }).data
    const installed = {
      cluster: 'alpha',
      layout: layoutOf(root),
      account: { user: 'root', isOther: false },
      data,
    }
    const run = (script: string) =>
      execFileSync('sh', ['-c', script], { stdio: ['ignore', 'ignore', 'inherit'] })
    const restore = () =>
      run(restoreScript(installed, { fresh: false, users: '', drainTimeout: 0, data: '' }))
    run(takeScript(installed))
    for (const path of paths) writeFileSync(path, 'new')
    restore()
    expect(paths.filter(existsSync)).toEqual([])
    for (const path of paths) {
      writeFileSync(path, 'old')
      chmodSync(path, 0o640)
    }
    run(takeScript(installed))
    for (const path of paths) rmSync(path)
    for (const path of paths) writeFileSync(path, 'new')
    restore()
    expect(paths.map((path) => [readFileSync(path, 'utf8'), statSync(path).mode & 0o777])).toEqual(
      paths.map(() => ['old', 0o640]),
    )
  })
})
