import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { trustAuthority } from './scenario/apiFromHost.ts'
import { clusterFile } from './scenario/clusterFile.ts'
import {
  bundleEngines,
  endState,
  handOverKey,
  renderedFolder,
  succeeded,
  unpackBundle,
} from './scenario/engines.ts'
import { betrayedBy } from './scenario/filesBelow.ts'
import { everythingOn, installationState, pidsOf, remains } from './scenario/hostState.ts'
import { entered, must } from './scenario/onHost.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { hostStates } from './scenario/reports.ts'
import { betrays, makeSentinel } from './scenario/sentinel.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { enginePackages } from './support/releases.ts'
import { labHere } from './support/requirements.ts'

const names = bundleEngines.map(({ host }) => host)
const sentinel = makeSentinel()
const { password } = sentinel

describe.skipIf(labHere.missing)(`an installation that muster rendered${labHere.needs}`, () => {
  let lab: Lab
  let operator: Operator

  const writeFile = (defaults: readonly string[] = []): void => {
    const hosts = names.map((name) => ({ name }))
    operator.write(
      'alpha.yaml',
      clusterFile(lab, { cluster: 'alpha', topology: 'clustered', hosts, defaults }),
    )
  }
  const isDone = async (host: LabHost): Promise<void> => {
    const plan = await operator.muster(['plan', '--host', host.name, 'alpha.yaml'])
    expect(plan, plan.stdout + plan.stderr).toMatchObject({ code: 0 })
    expect(plan.stdout).toContain('nothing to do')
  }

  beforeAll(async () => {
    lab = await startLab({ hosts: names, packages: enginePackages })
    operator = createOperator(lab, 'operator', password)
    writeFile()
  })
  afterAll(() => lab?.stop())

  describe.each(bundleEngines)('by $engine.name', ({ engine, host: name }) => {
    const host = (): LabHost => hostOf(lab, name)
    let before: readonly string[]
    let installed = ''

    it('brings a fresh host up, whose APIs accept the administrator', async () => {
      before = await everythingOn(host())
      writeFile()
      succeeded(await engine.render(operator, host()))
      succeeded(await engine.apply(operator, host()))
      await trustAuthority(host(), join(operator.directory, '.muster/alpha/authority.crt'))
      for (const port of [8090, 8096, 8097]) expect(await entered(host(), { port, password })).toBe(200)
    })

    it('leaves nothing to do for plan, and status, users verify and tapi find a host of muster', async () => {
      await isDone(host())
      const status = await operator.muster(['status', '--json', '--host', name, 'alpha.yaml'])
      expect(hostStates(status)).toEqual({ [name]: 'up' })
      succeeded(await operator.muster(['users', 'verify', '--host', name, 'alpha.yaml']))
      const login = ['--host', host().address, '--user', 'admin', '--password-stdin']
      succeeded(
        await operator.tapi([...login, 'user', 'admin'], { input: `${password}\n`, withoutPassword: true }),
      )
    })

    it('changes and restarts nothing when it runs again', async () => {
      const state = await installationState(host())
      succeeded(await engine.again(operator, host()))
      expect(await installationState(host())).toBe(state)
      installed = await endState(host())
    })

    it('brings a changed option, and restarts only the component that reads it', async () => {
      const pids = await pidsOf(host(), 'alpha')
      writeFile(['manager-dashboard: false'])
      succeeded(await engine.render(operator, host()))
      succeeded(await engine.apply(operator, host()))
      expect(await must(host(), 'cat /opt/muster/share/manager.json')).not.toContain('"dashboard"')
      const now = await pidsOf(host(), 'alpha')
      expect(now.manager).not.toBe(pids.manager)
      if (engine.boots !== true) {
        expect([now.connector, now.replicator]).toEqual([pids.connector, pids.replicator])
      }
      await isDone(host())
    })

    it('never writes the password in clear, on the host or beside the archives', async () => {
      const folders = ['etc', 'opt', 'root', 'home', 'var', 'tmp', 'run/muster-alpha', 'usr/lib'].map(
        (path) => join(host().root(), path),
      )
      expect(betrayedBy(sentinel, [...folders, renderedFolder(operator, engine.name)])).toEqual([])
      expect(betrays(sentinel, operator.printed())).toBe(false)
    })

    it('leaves nothing when it is uninstalled', async () => {
      succeeded(await engine.uninstall(operator, host()))
      expect(await remains(host())).toBe('')
      const others = (lines: readonly string[]) => lines.filter((line) => !engine.own.test(line))
      const known = new Set(before)
      expect(others(await everythingOn(host())).filter((line) => !known.has(line))).toEqual([])
    })

    it('had the end state of muster install, file by file', async () => {
      writeFile()
      succeeded(await operator.muster(['install', '--yes', '--host', name, 'alpha.yaml']))
      expect(installed).toBe(await endState(host()))
    })
  })

  describe('as a bundle in wrong hands', () => {
    const db1 = (): LabHost => hostOf(lab, 'db1')
    const key = '/etc/muster/alpha.key'
    let folder = ''

    /** Applies the bundle, which must refuse with this code and touch nothing. */
    const refuses = async (code: string, script = `${folder}/apply`): Promise<void> => {
      const state = await installationState(db1())
      const { code: exit, stderr } = await db1().run(script)
      expect(exit, stderr).toBe(1)
      expect(stderr).toContain(code)
      expect(await installationState(db1())).toBe(state)
    }

    beforeAll(async () => {
      succeeded(await operator.muster(['render', 'bundle', 'alpha.yaml', '--force', '--out', 'bundle']))
      handOverKey(operator, 'bundle', db1())
      folder = await unpackBundle(operator, db1(), { engine: 'bundle' })
    })

    it.each([
      ['root/opt/muster/share/manager.json', 'bundle-changed'],
      ['muster-apply.cjs', ''],
      ['root/opt/muster/runtimes/*/node', ''],
    ])('is refused if %s was changed, also if its sum was changed with it', async (path, code) => {
      const beside = readFileSync(join(renderedFolder(operator, 'bundle'), 'keys/SHA256SUMS'), 'utf8')
      const sums = /^(.{64}) {2}db1\/SHA256SUMS$/m.exec(beside)?.[1]
      const file = await must(db1(), `ls ${folder}/${path}`)
      await must(
        db1(),
        `cp -a ${file} /root/kept; cp -a ${folder}/SHA256SUMS /root/kept.sums; echo >> ${file}`,
      )
      await refuses('files of the bundle are missing or were changed')
      await must(
        db1(),
        `cd ${folder}; cut -c 67- SHA256SUMS | xargs -d '\\n' sha256sum > new; mv new SHA256SUMS`,
      )
      if (code === 'bundle-changed') await refuses(code)
      await refuses('SHA256SUMS is not the one that --sums names', `${folder}/apply --sums ${sums}`)
      await must(db1(), `mv /root/kept ${file}; mv /root/kept.sums ${folder}/SHA256SUMS`)
    })

    it('is refused with the key of another host, and on another host with the right key', async () => {
      const keys = join(renderedFolder(operator, 'bundle'), 'keys')
      await must(db1(), 'umask 077; cat > /root/other.key', readFileSync(join(keys, 'db2.key'), 'utf8'))
      await refuses('other-identity', `${folder}/apply --identity /root/other.key`)
      const other = await unpackBundle(operator, db1(), {
        engine: 'bundle',
        archive: 'db2.tar.gz',
        folder: '/root/bundle2',
      })
      await refuses('other-installation', `${other}/apply --identity /root/other.key`)
      await must(db1(), 'rm -rf /root/bundle2 /root/other.key')
    })

    it('is refused if others can read the key or change the bundle, and without root', async () => {
      await refuses(
        'identity-unfit',
        `chmod 640 ${key}; ${folder}/apply; code=$?; chmod 600 ${key}; exit $code`,
      )
      await refuses(
        'users other than root can change the bundle',
        `chmod o+w ${folder}/root; ${folder}/apply; code=$?; chmod o-w ${folder}/root; exit $code`,
      )
      await refuses('only root', `setpriv --reuid nobody --clear-groups sh -c 'sh -s' < ${folder}/apply`)
    })

    it('follows no link that the service user planted', async () => {
      await must(db1(), 'cp -a /etc/shadow /root/shadow; echo canary > /root/canary')
      await must(
        db1(),
        `cd /var/lib/muster-alpha; cp users.json /root/users; for f in users.json manager.json connector.json; do
setpriv --reuid muster-alpha --regid muster-alpha --clear-groups sh -c 'rm -f "$1"; ln -s /root/canary "$1"' sh "$f"; done`,
      )
      await db1().run(`${folder}/apply`)
      expect(
        await must(db1(), 'cmp /etc/shadow /root/shadow; cat /root/canary; stat -c %U /root/canary'),
      ).toBe('canary\nroot')
      await must(db1(), 'rm -f /var/lib/muster-alpha/*.json; rm /root/shadow /root/users')
      succeeded(await db1().run(`${folder}/apply`))
      await isDone(db1())
    })

    it('that was killed in the middle is completed by the next run', async () => {
      writeFile(['log-level: debug'])
      succeeded(await operator.muster(['render', 'bundle', 'alpha.yaml', '--force', '--out', 'bundle']))
      folder = await unpackBundle(operator, db1(), { engine: 'bundle' })
      const killed = await db1().run(
        `${folder}/apply & while ! [ -d /opt/muster/.before ]; do sleep 0.05; done; kill -9 $!; wait $!; exit 9`,
      )
      expect(killed.code).toBe(9)
      expect((await db1().run('ls -d /opt/muster/.before')).code).toBe(0)
      succeeded(await db1().run(`${folder}/apply`))
      await isDone(db1())
      expect((await db1().run('ls -d /opt/muster/.before')).code).not.toBe(0)
    })

    it('with which a component does not start goes back to what ran, says so and exits with 1', async () => {
      writeFile(['log-level: warn'])
      succeeded(await operator.muster(['render', 'bundle', 'alpha.yaml', '--force', '--out', 'bundle']))
      folder = await unpackBundle(operator, db1(), { engine: 'bundle' })
      const drop = '/etc/systemd/system/muster-alpha-manager.service.d'
      await must(
        db1(),
        `mkdir -p ${drop}; printf '[Service]\\nExecStartPre=/bin/sh -c "! grep -q warn /opt/muster/share/manager.json"\\n' > ${drop}/bad.conf; systemctl daemon-reload`,
      )
      const state = await endState(db1())
      const failed = await db1().run(`${folder}/apply`)
      expect(failed.code, failed.stdout + failed.stderr).toBe(1)
      expect(failed.stderr).toContain('The changes on the host were undone')
      expect(await endState(db1())).toBe(state)
      expect(await entered(db1(), { port: 8090, password })).toBe(200)
      await must(db1(), `rm -r ${drop}; systemctl daemon-reload`)
      const check = await db1().run(`${folder}/apply --check`)
      expect(check, check.stderr).toMatchObject({ code: 2 })
      expect(check.stdout).toContain('log-level')
      succeeded(await db1().run(`${folder}/apply`))
      await isDone(db1())
    })

    it('is refused while another run changes the host', async () => {
      writeFile(['log-level: error'])
      succeeded(await operator.muster(['render', 'bundle', 'alpha.yaml', '--force', '--out', 'bundle']))
      folder = await unpackBundle(operator, db1(), { engine: 'bundle' })
      const both = await db1().run(
        // Stopped with the lock, which its shell keeps.
        `${folder}/apply > /root/first 2>&1 & while [ "$(ls /run/muster 2>/dev/null | grep -cv gate)" = 0 ]; do sleep 0.05; done
kill -STOP $!; ${folder}/apply; echo "second $?"; kill -CONT $!; wait $!; echo "first $?"`,
      )
      expect(both.stdout, both.stderr).toBe('second 5\nfirst 0\n')
      expect(both.stderr).toMatch(/another run holds the lock .*[\s\S]*`muster apply` of root/)
    })
  })
})
