import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { trustAuthority } from './scenario/apiFromHost.ts'
import { clusterFile } from './scenario/clusterFile.ts'
import { succeeded } from './scenario/engines.ts'
import { remains } from './scenario/hostState.ts'
import { authorityIn, fileOf, installers, type TransportName, transports } from './scenario/matrix.ts'
import { entered } from './scenario/onHost.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import { ownRelease } from './support/aptMirror.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab } from './support/labTypes.ts'
import { enginePackages, releases } from './support/releases.ts'
import { labHere } from './support/requirements.ts'

const { password } = makeSentinel()
const names = Object.keys(releases)
/** Releases but that of this machine, on which `render` proves every engine at length. */
const others = names.filter((name) => name !== ownRelease())

/** Engines one after another on the same hosts; muster itself once with each transport. */
const runs = Object.entries(installers).flatMap(([engine, installer]) =>
  (installer.travels ? transports : [transports[0]]).map((by) => ({
    engine,
    installer,
    by,
    on: installer.travels ? names : others,
    // An engine that needs no transport leaves what both find installed.
    seenBy: installer.travels ? [by] : transports,
  })),
)

describe.skipIf(labHere.missing)(`the matrix of engines, transports and releases${labHere.needs}`, () => {
  let lab: Lab
  let operator: Operator

  beforeAll(async () => {
    lab = await startLab({
      hosts: names,
      packages: enginePackages,
      suites: Object.fromEntries(names.map((release) => [release, release])),
    })
    operator = createOperator(lab, 'matrix', password)
    for (const transport of transports) {
      const hosts = names.map((name) => ({ name }))
      const wish = { cluster: 'alpha', topology: 'clustered', hosts, ssh: { transport } } as const
      operator.write(fileOf(transport), clusterFile(lab, wish))
    }
    // What engines are rendered from does not depend on a transport.
    copyFileSync(join(operator.directory, fileOf('builtin')), join(operator.directory, 'alpha.yaml'))
    // Bases of other releases may have to be made first.
  }, 3_600_000)
  afterAll(() => lab?.stop())

  describe.each(runs)('$engine, started with the transport $by', ({ installer, by, on, seenBy }) => {
    const cells = on.flatMap((release) => seenBy.map((transport: TransportName) => ({ release, transport })))
    const timeout = 900_000

    it.each(on.map((release) => ({ release })))(
      'installs on $release, where the administrator can log in',
      async ({ release }) => {
        const host = hostOf(lab, release)
        for (const outcome of await installer.install(operator, host, by)) succeeded(outcome)
        await trustAuthority(host, authorityIn(operator))
        for (const port of [8090, 8096, 8097]) expect(await entered(host, { port, password })).toBe(200)
        expect(await entered(host, { port: 8090, password: 'wrong' })).toBe(401)
      },
      timeout,
    )

    it.each(cells)(
      'leaves nothing to do on $release for muster with the transport $transport',
      async ({ release, transport }) => {
        const plan = await operator.muster(['plan', '--host', release, fileOf(transport)])
        succeeded(plan)
        expect(plan.stdout).toContain('nothing to do')
      },
      timeout,
    )

    it.each(on.map((release) => ({ release })))(
      'leaves nothing on $release when it is uninstalled',
      async ({ release }) => {
        const host = hostOf(lab, release)
        succeeded(await installer.uninstall(operator, host, by))
        expect(await remains(host)).toBe('')
      },
      timeout,
    )
  })
})
