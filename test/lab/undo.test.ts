import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeTinyRuntime } from '../scenarios/support/tinyRuntime.ts'
import { pidsOf } from './scenario/hostState.ts'
import { installAlpha } from './scenario/installed.ts'
import { currentOf, entered, must } from './scenario/onHost.ts'
import type { Operator } from './scenario/operator.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

const names = ['db1', 'db2']
const ports = { manager: 8090, connector: 8096, replicator: 8097 } as const

/** A Node.js whose servers end three seconds after their start; its other commands do what they should. */
const sick = '#!/bin/sh\ncase $2 in serve) sleep 3; exit 3 ;; esac\nexec /usr/local/bin/real-node "$@"\n'
const well = '#!/bin/sh\nexec /usr/local/bin/real-node "$@"\n'

describe.skipIf(labHere.missing)(`an installation that fails on a Debian host${labHere.needs}`, () => {
  const { password } = makeSentinel()
  let lab: Lab
  let operator: Operator
  let file = ''
  let runtime = ''
  const db1 = (): LabHost => hostOf(lab, 'db1')
  const hosts = (): readonly LabHost[] => names.map((name) => hostOf(lab, name))

  const enter = (host: LabHost, port: number) => entered(host, { port, password })
  /** What an installation puts on a host, but what was sent for it, logs and the pids: equal means as before. */
  const state = (host: LabHost) =>
    must(
      host,
      `cd /opt/muster; readlink current; ls -A | grep -v '^deployment.jsonl$'
      find share releases -name .activated -o -path 'share/*' ! -path 'share/state/*' -type f | sort | while read -r f; do stat -c '%n %a %U:%G' "$f"; sha256sum < "$f"; done
      for u in /etc/systemd/system/muster-*; do sha256sum "$u"; systemctl is-enabled "\${u##*/}"; systemctl is-active "\${u##*/}"; done`,
    )
  const install = (...argv: readonly string[]) => operator.muster(['install', '--yes', ...argv, file])

  beforeAll(async () => {
    lab = await startLab({ hosts: names })
    ;({ operator, file } = await installAlpha(lab, names, password))
    runtime = join(operator.directory, 'odd-node')
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
    const failed = await install('--runtime-file', runtime)
    expect(failed.code, failed.stdout).toBe(1)
    expect(failed.stderr).toMatch(/^error db1: the manager at 0\.0\.0\.0:8090 gave no answer: /m)
    expect(failed.stderr).toContain(
      'What was changed there was taken back: manager, connector, replicator run as before.',
    )
    expect(failed.stdout).toMatch(
      /^db1 +failed, all of it taken back .*\ndb2 +done: \d changes, logins proved/m,
    )
    expect(await state(db1())).toBe(before)
    for (const port of Object.values(ports)) expect(await enter(db1(), port)).toBe(200)
    expect(Object.values(await pidsOf(db1(), 'alpha'))).not.toContain(0)
    expect(await currentOf(hostOf(lab, 'db2'))).not.toBe(await currentOf(db1()))
    const record = await must(db1(), 'tail -n 5 /opt/muster/deployment.jsonl')
    expect(record).toContain('"outcome":"undone"')
  })

  it('is left as it is with --keep-failed, and the next one goes back to what ran before that', async () => {
    const before = await state(db1())
    const kept = await install('--runtime-file', runtime, '--keep-failed')
    expect(kept.code).toBe(1)
    expect(kept.stderr).toContain('It was left as it is (--keep-failed): look at it with ')
    expect(await currentOf(db1())).toBe(await currentOf(hostOf(lab, 'db2')))
    expect(await must(db1(), 'stat -c "%a %U" /opt/muster/.before')).toBe('700 root')
    const again = await install('--runtime-file', runtime)
    expect(again.code).toBe(1)
    expect(again.stdout + again.stderr).toContain('taken back')
    expect(await state(db1())).toBe(before)
    for (const port of Object.values(ports)) expect(await enter(db1(), port)).toBe(200)
  })

  it('is ended by the next one, once its cause is gone', async () => {
    await must(db1(), 'cat > /usr/local/bin/odd-node', well)
    const outcome = await install('--runtime-file', runtime)
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 })
    expect(await currentOf(db1())).toBe(await currentOf(hostOf(lab, 'db2')))
    expect((await operator.muster(['plan', '--runtime-file', runtime, file])).code).toBe(0)
    expect(await must(db1(), 'ls -d /opt/muster/.before 2>/dev/null || echo none')).toBe('none')
    for (const port of Object.values(ports)) expect(await enter(db1(), port)).toBe(200)
  })

  it('for the first time leaves nothing that runs or is enabled', async () => {
    expect((await operator.muster(['uninstall', '--yes', file])).code).toBe(0)
    await must(db1(), 'cat > /usr/local/bin/odd-node', sick)
    const failed = await install('--runtime-file', runtime)
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
    expect(await enter(hostOf(lab, 'db2'), ports.replicator)).toBe(200)
    await must(db1(), 'cat > /usr/local/bin/odd-node', well)
    const outcome = await install('--runtime-file', runtime)
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 })
    expect((await operator.muster(['plan', '--runtime-file', runtime, file])).code).toBe(0)
    expect(await enter(db1(), ports.replicator)).toBe(200)
  })
})
