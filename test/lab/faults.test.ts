import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endsWell, oneError } from '../support/endsWell.ts'
import { clusterFile } from './scenario/clusterFile.ts'
import { faultPassword, faultSite } from './scenario/faultSite.ts'
import { must } from './scenario/onHost.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import type { Outcome } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

/**
 * Rows of the fault table (deployment.md) that want a real kernel: file systems that take no more, and another
 * machine-id. `endsWell` has what is asked of every one of them.
 */
describe.skipIf(labHere.missing)(`a fault of a Debian host${labHere.needs}`, () => {
  let lab: Lab
  let db1: LabHost
  let operator: Operator
  let site: ReturnType<typeof faultSite>
  let level: 'debug' | 'info' = 'info'

  const run = (script: string): Promise<string> => must(db1, script)

  beforeAll(async () => {
    lab = await startLab({ hosts: ['db1'] })
    db1 = hostOf(lab, 'db1')
    operator = createOperator(lab, 'operator', makeSentinel().password)
    await run('mkdir -p /opt && mount -t tmpfs -o size=700m,mode=755 tmpfs /opt')
    const describeCluster = () => {
      level = level === 'info' ? 'debug' : 'info'
      const wish = { cluster: 'alpha', topology: 'clustered', password: faultPassword } as const
      const defaults = [`log-level: ${level}`]
      operator.write('alpha.yaml', clusterFile(lab, { ...wish, hosts: [{ name: 'db1' }], defaults }))
    }
    site = faultSite({ operator, hosts: () => [db1], describe: describeCluster })
    describeCluster()
    const installed = await site.muster('install')
    expect(installed, installed.stderr).toMatchObject({ code: 0 })
  })
  afterAll(() => lab?.stop())

  const noRoom = {
    host: 'db1',
    what: /No space left on device/,
    fix: /(Free space there: df -h|Check that) \/opt\/muster/,
  }

  /** Installs with a hook that fills the disk once its space was checked, but for `room` KiB beyond a copy of share. */
  async function installWhileFull({ room }: { readonly room?: number } = {}): Promise<Outcome> {
    const opt = join(db1.root(), 'opt')
    const kept = `cp -a ${opt}/muster/share ${opt}/room && head -c ${room ?? 0}K /dev/zero >${opt}/room/more`
    const fill = `#!/bin/sh
${room === undefined ? '' : `${kept} || exit`}
cat /dev/zero >${opt}/filler 2>/dev/null
rm -rf ${opt}/room
[ -s ${opt}/filler ]
`
    chmodSync(operator.write('fill.sh', fill), 0o700)
    operator.write('full.yaml', 'hooks:\n  before-host: !exec [./fill.sh]\n')
    try {
      return await operator.muster(['install', '--yes', 'alpha.yaml', 'full.yaml'])
    } finally {
      await run('rm -f /opt/filler')
    }
  }

  it('of a disk that is full before anything is written', async () => {
    await endsWell({
      row: 'disk full at a write',
      site,
      code: 1,
      told: oneError({
        host: 'db1',
        what: /^\/opt\/muster has 0 MiB free, but a change needs 16 MiB$/,
        code: 'disk-full',
        fix: /^Free disk space there/,
      }),
      begin: async () => {
        await run('cat /dev/zero >/opt/filler 2>/dev/null || [ -s /opt/filler ]')
        return () => run('rm /opt/filler')
      },
    })
  })

  it('of a disk that is full at a write', async () => {
    await endsWell({
      row: 'disk full at a write',
      site,
      code: 1,
      told: oneError({ ...noRoom, code: 'step-failed' }),
      begin: () => () => undefined,
      attempt: () => installWhileFull(),
    })
  })

  it('of a disk that is full at a write of commit, which is taken back without any room', async () => {
    let outcome: Outcome | undefined
    await endsWell({
      row: 'disk full at a write',
      site,
      code: 1,
      told: oneError({ ...noRoom, code: 'write-failed' }),
      begin: () => () => undefined,
      attempt: async () => {
        // Room for the copy of what is there, and for little more.
        let room = 0
        do {
          outcome = await installWhileFull({ room })
          room += 4
        } while (outcome.stderr.includes('taking a snapshot of /opt/muster'))
        return outcome
      },
    })
    expect(outcome?.stdout).toMatch(/^db1 +failed: .*rolled back/m)
  })

  it('of a folder that is read-only', async () => {
    await endsWell({
      row: 'read-only directory',
      site,
      begin: async () => {
        // Beneath what runs, which has files open there and keeps them.
        await run('mount --bind /opt/muster /opt/muster && mount -o remount,bind,ro /opt/muster')
        // Lazily: the components see the mount, too, and may read their certificate there this moment.
        return () => run('umount -l /opt/muster')
      },
      code: 1,
      told: oneError({
        host: 'db1',
        what: /its file system is read-only/,
        code: 'not-enough-rights',
        fix: /\S/,
      }),
    })
  })

  it('of an address that is now another machine', async () => {
    const own = await run('cat /etc/machine-id')
    await endsWell({
      row: 'address now another machine',
      site,
      begin: async () => {
        await run('echo ffffffffffffffffffffffffffffffff >/etc/machine-id')
        return async () => {
          const replaced = await operator.muster(['install', '--yes', '--replaced', 'db1', 'alpha.yaml'])
          expect(replaced, replaced.stderr).toMatchObject({ code: 0 })
          const record = readFileSync(join(operator.directory, '.muster/alpha/machines.json'), 'utf8')
          expect(JSON.parse(record).machines).toEqual({ db1: 'f'.repeat(32) })
        }
      },
      code: 1,
      told: oneError({
        host: 'db1',
        what: new RegExp(`^is not the machine that was installed: .* machine-id ${own.slice(0, 8)}…`),
        code: 'other-machine',
        fix: /--replaced db1/,
      }),
    })
  })
})
