import { existsSync, lstatSync, readFileSync, readlinkSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeTinyRuntime } from '../scenarios/support/tinyRuntime.ts'
import { pidsOf } from './scenario/hostState.ts'
import { installAlpha } from './scenario/installed.ts'
import { currentOf, entered, must } from './scenario/onHost.ts'
import type { Operator } from './scenario/operator.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import { eventually } from './support/eventually.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

/** Longer than any time that the tests give with --confirm-within, and what a busy machine needs to go back. */
const wayBack = { timeout: 300_000 } as const

/** Each test goes on where the last ended. */
describe.skipIf(labHere.missing)(`muster install --confirm-within on a Debian host${labHere.needs}`, () => {
  const { password } = makeSentinel()
  let lab: Lab
  let operator: Operator
  let file = ''
  let runtime = ''
  let installed = ''
  const host = (): LabHost => hostOf(lab, 'db1')
  const inRoot = (path: string): string => join(host().root(), path)
  const enter = () => entered(host(), { port: 8097, password })
  const current = (): string => basename(readlinkSync(inRoot('opt/muster/current')))
  const hasWentBack = (): boolean => existsSync(inRoot('opt/muster/.went-back'))
  /** Another release, since it runs on another Node.js. */
  const install = (...argv: readonly string[]) => started(argv)
  const started = (argv: readonly string[], options?: Parameters<Operator['muster']>[1]) =>
    operator.muster(['install', '--yes', '--runtime-file', runtime, ...argv, file], options)
  /** Waits for the end of the unit that brought the host back: it clears away after itself. */
  const clearedAway = () =>
    eventually('a host that went back', async () => (await leftBehind()) === '.went-back')
  const leftBehind = () =>
    must(
      host(),
      "ls -A /opt/muster | grep -E '^[.](confirm|before|went-back)' || :; ls /etc/systemd/system /etc/systemd/system/timers.target.wants /run/systemd/transient 2>/dev/null | grep confirm || :",
    )

  beforeAll(async () => {
    lab = await startLab({ hosts: ['db1'] })
    ;({ operator, file } = await installAlpha(lab, ['db1'], password))
    installed = await currentOf(host())
    runtime = join(operator.directory, 'odd-node')
    writeTinyRuntime(runtime, '/usr/local/bin/odd-node')
    await must(
      host(),
      'cp -L /opt/muster/current/node /usr/local/bin/odd-node; chmod 755 /usr/local/bin/odd-node',
    )
  })
  afterAll(() => lab?.stop())

  it('leaves nothing of it where the run verifies the logins in time', async () => {
    const outcome = await install('--confirm-within', '5m')
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 })
    expect(await currentOf(host())).not.toBe(installed)
    expect(await leftBehind()).toBe('')
    const back = await operator.muster(['install', '--yes', '--confirm-within', '5m', file])
    expect(back, back.stderr).toMatchObject({ code: 0 })
    expect(await currentOf(host())).toBe(installed)
    expect(await leftBehind()).toBe('')
  })

  it('lets a host that lost its operator after the commit go back by itself, and the next run converges', async () => {
    const before = await must(
      host(),
      'cat /opt/muster/share/*.json /var/lib/muster-alpha/users.json | sha256sum',
    )
    const running = install('--confirm-within', '30s')
    await eventually('the commit', () => current() !== installed)
    await host().unplug()
    const folder = inRoot('opt/muster/.confirm')
    expect(lstatSync(folder).mode & 0o777).toBe(0o700)
    expect(readFileSync(join(folder, 'restore'), 'utf8')).not.toContain(password)
    const timer = readFileSync(inRoot('etc/systemd/system/muster-alpha-confirm.timer'), 'utf8')
    expect(timer).toContain('\nOnActiveSec=30\n')
    await eventually('the way back', hasWentBack, wayBack)
    expect(current()).toBe(installed)
    const outcome = await running
    expect(outcome.code, outcome.stderr).toBe(4)
    expect(outcome.stderr).toContain('It goes back by itself when the time of --confirm-within is over')
    await host().plugIn()
    await eventually('a login', async () => (await enter()) === 200)
    expect(Object.values(await pidsOf(host(), 'alpha'))).not.toContain(0)
    expect(
      await must(host(), 'cat /opt/muster/share/*.json /var/lib/muster-alpha/users.json | sha256sum'),
    ).toBe(before)
    await clearedAway()
    const told = /db1 went back by itself at \d{4}-\S+Z: the run \S+ did not confirm it in time/
    expect((await operator.muster(['status', file])).stderr).toMatch(told)
    const next = await install()
    expect(next, next.stderr).toMatchObject({ code: 0 })
    expect(next.stdout).toMatch(told)
    expect(await currentOf(host())).not.toBe(installed)
    expect(await enter()).toBe(200)
    expect(await leftBehind()).toBe('')
    expect((await operator.muster(['plan', '--runtime-file', runtime, file])).stdout).toContain(
      'nothing to do',
    )
  })

  it('lets the host go back after a reboot as well', async () => {
    const now = await currentOf(host())
    const running = operator.muster(['install', '--yes', '--confirm-within', '1m', file])
    await eventually('the commit', () => current() !== now)
    await host().unplug()
    // As if it had been going back already.
    const folder = inRoot('opt/muster/.confirm')
    renameSync(join(folder, 'armed'), join(folder, 'restoring'))
    await host().kill()
    await host().boot()
    await eventually('the way back', hasWentBack, wayBack)
    expect(current()).toBe(now)
    expect((await running).code).toBe(4)
    await eventually('a login', async () => (await enter()) === 200)
    await clearedAway()
  })

  it('takes over from a run that was killed, so that the host does not go back under it', async () => {
    const now = await currentOf(host())
    let pid = 0
    const killed = operator.muster(['install', '--yes', '--confirm-within', '5m', file], {
      onStart: (started) => {
        pid = started
      },
    })
    await eventually('the commit', () => current() !== now)
    process.kill(pid, 'SIGKILL')
    await killed
    expect(await leftBehind()).toMatch(
      /\.confirm\nmuster-alpha-confirm\.service\nmuster-alpha-confirm\.timer/,
    )
    const next = await operator.muster(['install', '--yes', '--lock-wait', '1m', file])
    expect(next, next.stderr).toMatchObject({ code: 0 })
    expect(await currentOf(host())).not.toBe(now)
    expect(await enter()).toBe(200)
    expect(await leftBehind()).toBe('')
    expect(await must(host(), 'systemctl list-timers --all --no-legend | grep -c muster || :')).toBe('0')
  })

  it('goes back although a later run was refused there', async () => {
    const now = await currentOf(host())
    let pid = 0
    const killed = started(['--confirm-within', '30s'], {
      onStart: (given) => {
        pid = given
      },
    })
    await eventually('the commit', () => current() !== now)
    process.kill(pid, 'SIGKILL')
    await killed
    const refused = await operator.muster([
      'install',
      '--yes',
      '--lock-wait',
      '1m',
      '--release',
      '9.9.9',
      file,
    ])
    expect(refused.code, refused.stderr).toBe(1)
    await eventually('the way back', hasWentBack, wayBack)
    expect(current()).toBe(now)
    await eventually('a login', async () => (await enter()) === 200)
    await clearedAway()
  })

  it('takes back a first installation, and leaves nothing of one that is verified', async () => {
    expect((await operator.muster(['uninstall', '--yes', file])).code).toBe(0)
    const running = install('--confirm-within', '30s')
    await eventually('the commit', () => existsSync(inRoot('opt/muster/current')))
    await host().unplug()
    await eventually('the way back', hasWentBack, wayBack)
    expect((await running).code).toBe(4)
    await host().plugIn()
    expect(existsSync(inRoot('opt/muster/current'))).toBe(false)
    const units = () => must(host(), 'ls /etc/systemd/system | grep -c muster || :')
    await eventually('the end of the way back', async () => (await units()) === '0')
    const again = await install('--confirm-within', '5m')
    expect(again, again.stderr).toMatchObject({ code: 0 })
    expect(await enter()).toBe(200)
    expect(await leftBehind()).toBe('')
  })

  it('is refused where the components are not run by systemd', async () => {
    expect((await operator.muster(['uninstall', '--yes', file])).code).toBe(0)
    expect(await must(host(), 'ls /etc/systemd/system | grep -c muster || :')).toBe('0')
    const process = operator.write(
      'process.yaml',
      readFileSync(file, 'utf8')
        .replace('cluster: alpha', 'cluster: beta')
        .replace('defaults:', 'defaults:\n  service-manager: process\n  install-directory: /opt/beta'),
    )
    const refused = await operator.muster(['install', '--yes', '--confirm-within', '5m', process])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(
      /--confirm-within cannot be used on db1: its components are not run by systemd/,
    )
    expect(await must(host(), 'ls -d /opt/beta 2>/dev/null || echo none')).toBe('none')
  })
})
