import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { trustAuthority } from './scenario/apiFromHost.ts'
import { asAttacker, type Canary, canaryOn, traps } from './scenario/attacker.ts'
import { clusterFile } from './scenario/clusterFile.ts'
import { remains } from './scenario/hostState.ts'
import { layOutAsBefore } from './scenario/legacy.ts'
import { entered, must } from './scenario/onHost.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import type { Outcome } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

const hosts = [
  { name: 'db1', cluster: 'alpha', manager: 'systemd', state: '/var/lib/muster-alpha' },
  { name: 'db2', cluster: 'beta', manager: 'process', state: '/opt/muster/data' },
] as const

const legacy = { state: '/opt/muster/share/state', log: '/opt/muster/log', run: '/opt/muster/run' }

describe.skipIf(labHere.missing)(`an installation of before folders were split${labHere.needs}`, () => {
  let lab: Lab
  let operator: Operator
  const { password } = makeSentinel()

  beforeAll(async () => {
    lab = await startLab({ hosts: hosts.map(({ name }) => name) })
    operator = createOperator(lab, 'operator', password)
  })
  afterAll(() => lab?.stop())

  describe.each(hosts)('whose components run by $manager', ({ name, cluster, manager, state }) => {
    let host: LabHost
    let canary: Canary
    const muster = (...words: readonly string[]): Promise<Outcome> =>
      operator.muster([...words, `${cluster}.yaml`])
    beforeAll(async () => {
      host = hostOf(lab, name)
      canary = canaryOn(host)
      operator.write(
        `${cluster}.yaml`,
        clusterFile(lab, {
          ...{ cluster, topology: 'clustered', hosts: [{ name }] },
          defaults: [`service-manager: ${manager}`],
        }),
      )
      const installed = await muster('install', '--yes')
      expect(installed, installed.stderr).toMatchObject({ code: 0 })
      await trustAuthority(host, join(operator.directory, '.muster', cluster, 'authority.crt'))
      await layOutAsBefore(host, { cluster, manager })
      await canary.place()
    })

    it('is looked at, restarted and given users as it is', async () => {
      for (const words of [['status'], ['users', 'list'], ['users', 'verify'], ['users', 'apply', '--yes']]) {
        const { code, stdout, stderr } = await muster(...words)
        expect(code, `${words.join(' ')}: ${stdout}${stderr}`).toBe(0)
      }
      expect(await entered(host, { port: 8090, password })).toBe(200)
    })

    if (manager === 'systemd') {
      it('keeps its place and its logins where the moved components do not start', async () => {
        const folder = `/etc/systemd/system/muster-${cluster}-manager.service.d`
        const unit = `/etc/systemd/system/muster-${cluster}-manager.service`
        await must(
          host,
          `mkdir ${folder}; printf '[Service]\\nExecStartPre=/bin/sh -c "! grep -q ^StateDirectory ${unit}"\\n' > ${folder}/refuse.conf; systemctl daemon-reload`,
        )
        const failed = await muster('install', '--yes')
        expect(failed.code, failed.stdout).toBe(1)
        expect(failed.stderr).toContain('were undone')
        await must(host, `rm -r ${folder}; systemctl daemon-reload`)
        expect(
          await must(
            host,
            'ls /opt/muster/share/users/users.json; ls /opt/muster/share/account 2>/dev/null || true',
          ),
        ).toBe('/opt/muster/share/users/users.json')
        expect(await entered(host, { port: 8090, password })).toBe(200)
      })
    }

    it('is moved over by the next installation with its users, whatever its service user planted', async () => {
      for (const trap of Object.values(traps)) await asAttacker(host, 'muster', trap(legacy))
      await asAttacker(
        host,
        'muster',
        'ln -sfn /etc/shadow /opt/muster/share/users/users.json.lock; ln -sfn /etc/shadow /opt/muster/share/users/more.json',
      )
      const { code, stdout, stderr } = await muster('install', '--yes')
      expect(code, stdout + stderr).toBe(0)
      expect(await canary.harm(stdout + stderr), stdout + stderr).toEqual([])
      expect(await entered(host, { port: 8090, password })).toBe(200)
      expect(
        await must(host, `cat /opt/muster/share/account; stat -c %U:%a ${state}/users.json; id -un muster`),
      ).toBe(`${manager} muster\nmuster:600\nmuster`)
      expect(
        await must(
          host,
          'ls -d /opt/muster/share/users /opt/muster/share/state /opt/muster/log /opt/muster/run 2>/dev/null || true',
        ),
      ).toBe('')
      const again = await muster('plan')
      expect(again, again.stdout).toMatchObject({ code: 0 })
    })

    it('leaves nothing when it is uninstalled', async () => {
      await must(host, 'kill "$(cat /root/listener)" "$(cat /root/sleeper)"')
      const { code, stdout, stderr } = await muster('uninstall', '--yes', '--purge')
      expect(code, stdout + stderr).toBe(0)
      expect(await remains(host)).toBe('')
    })
  })
})
