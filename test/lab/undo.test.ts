import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeTinyRuntime } from '../scenarios/support/tinyRuntime.ts'
import { endsWell, oneError } from '../support/endsWell.ts'
import { clusterFile } from './scenario/clusterFile.ts'
import { faultPassword, faultSite } from './scenario/faultSite.ts'
import { pidsOf } from './scenario/hostState.ts'
import { currentOf, must } from './scenario/onHost.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import type { Outcome } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

const names = ['db1', 'db2']

/** A Node.js whose servers end three seconds after their start; its other commands do what they should. */
const sick = '#!/bin/sh\ncase $2 in serve) sleep 3; exit 3 ;; esac\nexec /usr/local/bin/real-node "$@"\n'
const well = '#!/bin/sh\nexec /usr/local/bin/real-node "$@"\n'

describe.skipIf(labHere.missing)(`an installation that fails on a Debian host${labHere.needs}`, () => {
  let lab: Lab
  let operator: Operator
  let site: ReturnType<typeof faultSite>
  let runtime = ''
  const db1 = (): LabHost => hostOf(lab, 'db1')
  const hosts = (): readonly LabHost[] => names.map((name) => hostOf(lab, name))

  /** What an installation puts on a host, but what was sent for it, logs and the pids: equal means as before. */
  const state = (host: LabHost) =>
    must(
      host,
      `cd /opt/muster; readlink current; ls -A | grep -v '^deployment.jsonl$'
      find share releases -name .activated -o -path 'share/*' -type f | sort | while read -r f; do stat -c '%n %a %U:%G' "$f"; sha256sum < "$f"; done
      for f in /var/lib/muster-*/users.json; do echo "$f"; sha256sum < "$f"; done
      for u in /etc/systemd/system/muster-*; do sha256sum "$u"; systemctl is-enabled "\${u##*/}"; systemctl is-active "\${u##*/}"; done`,
    )
  const install = (...argv: readonly string[]) =>
    operator.muster(['install', '--yes', '--runtime-file', runtime, ...argv, 'alpha.yaml'])

  beforeAll(async () => {
    lab = await startLab({ hosts: names })
    operator = createOperator(lab, 'operator', makeSentinel().password)
    runtime = join(operator.directory, 'odd-node')
    const describeCluster = (): void => {
      const wish = { cluster: 'alpha', topology: 'clustered', password: faultPassword } as const
      operator.write('alpha.yaml', clusterFile(lab, { ...wish, hosts: names.map((name) => ({ name })) }))
    }
    site = faultSite({ operator, hosts, describe: describeCluster, args: ['--runtime-file', runtime] })
    describeCluster()
    expect(await operator.muster(['install', '--yes', 'alpha.yaml'])).toMatchObject({ code: 0 })
    writeTinyRuntime(runtime, '/usr/local/bin/odd-node')
    for (const host of hosts()) {
      await must(host, 'cp /opt/muster/current/node /usr/local/bin/real-node')
      await must(
        host,
        'cat > /usr/local/bin/odd-node; chmod 755 /usr/local/bin/*-node',
        host.name === 'db1' ? sick : well,
      )
    }
  })
  afterAll(() => lab?.stop())

  it('with services that end after three seconds goes back to what ran, which lets the login in', async () => {
    const before = await state(db1())
    const old = site.password()
    const goesBack = async (failed: Outcome) => {
      expect(failed.stdout).toMatch(/^db1 +failed: .*rolled back .*\ndb2 +/m)
      expect(Object.values(await pidsOf(db1(), 'alpha'))).not.toContain(0)
    }
    // A password that was left with --keep-failed stays.
    const without = (text: string) =>
      text.split('\n').filter((_, at, all) => !/users\.json/.test(all[at - 1] ?? ''))
    await endsWell({
      row: 'service starts and exits after 3 s',
      site,
      begin: () => () => must(db1(), 'cat > /usr/local/bin/odd-node', well),
      attempt: async () => {
        const failed = await install()
        await goesBack(failed)
        expect(await state(db1())).toBe(before)
        expect(Object.values(await site.enter('db1', old))).toEqual([200, 200, 200])
        expect(failed.stdout).toMatch(/^db2 +done: \d changes, logins verified/m)
        expect(await currentOf(hostOf(lab, 'db2'))).not.toBe(await currentOf(db1()))
        const record = await must(db1(), 'tail -n 5 /opt/muster/deployment.jsonl')
        expect(record).toContain('"outcome":"undone"')
        // Left as it is for a look, it goes back to what ran before that.
        const kept = await install('--keep-failed')
        expect(kept.code).toBe(1)
        expect(kept.stderr).toContain('The changes were not undone (--keep-failed). Inspect the host with ')
        expect(await currentOf(db1())).toBe(await currentOf(hostOf(lab, 'db2')))
        expect(await must(db1(), 'stat -c "%a %U" /opt/muster/.before')).toBe('700 root')
        const again = await install()
        await goesBack(again)
        expect(without(await state(db1()))).toEqual(without(before))
        expect(again.code).toBe(1)
        return failed
      },
      code: 1,
      told: oneError({
        host: 'db1',
        // All three end alike; which one is seen first is not said.
        what: /^the (manager|connector|replicator) at 0\.0\.0\.0:809\d gave no answer: it ended after its start \((result [a-z-]+, exit status \d+[^)]*|restarted (once|\d+ times))\)[\s\S]*\n {4}The changes on the host were undone: manager, connector, replicator run as before\./,
        code: 'login-not-proved',
        fix: /^See `muster status` and the log of the (manager|connector|replicator) on db1/,
      }),
      torn: ['db1'],
      done: ['db2'],
    })
    expect(await currentOf(db1())).toBe(await currentOf(hostOf(lab, 'db2')))
  })

  it('for the first time leaves nothing that runs or is enabled', async () => {
    expect((await operator.muster(['uninstall', '--yes', 'alpha.yaml'])).code).toBe(0)
    await must(db1(), 'cat > /usr/local/bin/odd-node', sick)
    const failed = await install()
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain('no component ran before, and none runs now.')
    expect(
      await must(
        db1(),
        'systemctl list-units --all --plain --no-legend "muster-*"; ls /etc/systemd/system/*/ | grep muster || :',
      ),
    ).toBe('')
    expect(
      await must(db1(), 'ls /etc/systemd/system | grep muster || :; pgrep -f muster-api[.]cjs || :'),
    ).toBe('')
    expect(await site.enter('db2', site.password())).toMatchObject({ replicator: 200 })
    await must(db1(), 'cat > /usr/local/bin/odd-node', well)
    const outcome = await install()
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 })
    expect(await site.muster('plan')).toMatchObject({ code: 0 })
    expect(await site.enter('db1', site.password())).toMatchObject({ replicator: 200 })
  })
})
