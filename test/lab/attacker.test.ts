import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { trustAuthority } from './scenario/apiFromHost.ts'
import {
  asAttacker,
  type Canary,
  canaryOn,
  clusters,
  type OwnFolders,
  traps,
  userFileTraps,
} from './scenario/attacker.ts'
import { clusterFile } from './scenario/clusterFile.ts'
import { entered, must } from './scenario/onHost.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import type { Outcome } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

/** Every command that reaches a host. What changes nothing comes first. */
const commands: readonly (readonly string[])[] = [
  ['plan'],
  ['check'],
  ['status'],
  ['logs', '--lines', '50'],
  ['users', 'list'],
  ['users', 'verify'],
  ['diag', '--out', 'report.tar', '--force'],
  ['users', 'apply', '--yes'],
  ['users', 'rotate', 'other', '--yes'],
  ['cert', 'check'],
  ['cert', 'renew', '--yes', '--force'],
  ['restart', '--yes'],
  ['install', '--yes'],
]

describe.skipIf(labHere.missing)(`a service user who was taken over${labHere.needs}`, () => {
  let lab: Lab
  let operator: Operator
  const { password } = makeSentinel()

  beforeAll(async () => {
    lab = await startLab({ hosts: clusters.map(({ host }) => host) })
    operator = createOperator(lab, 'operator', password)
    for (const { manager, host, cluster } of clusters) {
      const text = clusterFile(lab, {
        ...{ cluster, topology: 'clustered', hosts: [{ name: host }] },
        defaults: [`service-manager: ${manager}`, 'rest-api-users: { other: }'],
      })
      operator.write(`${cluster}.yaml`, text)
      const installed = await operator.muster(['install', '--yes', `${cluster}.yaml`])
      expect(installed, installed.stderr).toMatchObject({ code: 0 })
      await trustAuthority(hostOf(lab, host), join(operator.directory, '.muster', cluster, 'authority.crt'))
    }
  })
  afterAll(() => lab?.stop())

  describe.each(clusters)('of components that run by $manager', ({ host: name, cluster, folders }) => {
    const user = `muster-${cluster}`
    const file = `${cluster}.yaml`
    let host: LabHost
    let canary: Canary
    let began: readonly string[]

    beforeAll(async () => {
      host = hostOf(lab, name)
      canary = canaryOn(host)
      await canary.place()
      began = await unsafePaths(host, folders)
    })

    const run = async (words: readonly string[]): Promise<Outcome> => operator.muster([...words, file])
    /** Undoes what was planted, so that only this trap is judged. */
    const restore = async (): Promise<void> => {
      await must(
        host,
        `cd ${folders.state} && find . -mindepth 1 ! -name users.json -delete
cd ${folders.log} && find . -mindepth 1 ! -name users.json -delete`,
      )
    }

    it('owns nothing on the way to what root reads, runs or writes', () => {
      expect(began).toEqual([])
    })

    it('cannot rename or replace the folders that it writes in, nor leave anything where root looks', async () => {
      const tried = await asAttacker(
        host,
        user,
        `for d in ${folders.state} ${folders.log} /opt/muster /opt/muster/share /opt/muster/share/processes /opt/muster/share/tls; do
  mv "$d" "$d.away" 2>/dev/null && echo "moved $d"
  rmdir "$d" 2>/dev/null && echo "removed $d"
done
for d in /opt/muster /opt/muster/share /opt/muster/share/processes /opt/muster/share/applied /opt/muster/share/tls /opt/muster/releases /opt/muster/runtimes /opt/muster/current; do
  touch "$d/planted" 2>/dev/null && echo "wrote into $d"
done
for f in /opt/muster/share/tls/key.pem /opt/muster/share/secrets.json /opt/muster/share/manager.json; do
  [ ! -w "$f" ] || echo "may write $f"
done
true`,
      )
      expect(tried).toBe('')
    })

    it.each(Object.keys(traps))('gains nothing by %s, whatever command is run', async (trap) => {
      await asAttacker(host, user, traps[trap]?.(folders) ?? '')
      for (const words of commands) {
        const { stdout, stderr, code } = await run(words)
        const said = `${words.join(' ')}: ${code}\n${stdout}${stderr}`
        expect(await canary.harm(stdout + stderr), said).toEqual([])
        expect(said).not.toMatch(/\n\s+at .*:\d+:\d+\)?$/m)
        expect(said.includes('\x1b]0;') || said.includes('\x1b[2J'), said).toBe(false)
        // It does not stay at work after the command, and nothing that it made belongs to root.
        const left = await must(
          host,
          `pgrep -a sha256sum || true; find ${folders.state} ${folders.log} -user root`,
        )
        expect(left, said).toBe('')
      }
      await restore()
      const restarted = await run(['restart', '--yes'])
      expect(restarted, restarted.stdout + restarted.stderr).toMatchObject({ code: 0 })
      const again = await run(['install', '--yes'])
      expect(again, again.stdout + again.stderr).toMatchObject({ code: 0 })
      expect(await entered(host, { port: 8090, password })).toBe(200)
    })

    // They are read the same way, whatever runs the components.
    it.each(cluster === 'alpha' ? Object.keys(userFileTraps) : [])(
      'gains nothing by a user file that is %s',
      async (trap) => {
        const state = `${folders.state}/users.json`
        await must(host, `cp -p ${state} /root/users.json`)
        await asAttacker(host, user, userFileTraps[trap]?.(folders) ?? '')
        for (const words of commands.filter(([name]) => name !== 'cert' && name !== 'check')) {
          const { stdout, stderr, code } = await run(words)
          const said = `${words.join(' ')}: ${code}\n${stdout}${stderr}`
          expect(await canary.harm(stdout + stderr), said).toEqual([])
          expect(said).not.toMatch(/\n\s+at .*:\d+:\d+\)?$/m)
        }
        await must(host, `rm -rf ${state}; mv /root/users.json ${state}`)
        const again = await run(['install', '--yes'])
        expect(again, again.stdout + again.stderr).toMatchObject({ code: 0 })
        expect(await entered(host, { port: 8090, password })).toBe(200)
      },
    )

    it('gains nothing by files that change between a look and a use', async () => {
      // Bounded: it ends by itself, and with the file that it takes as its sign.
      await asAttacker(
        host,
        user,
        `cd ${folders.state}; cp users.json real.json; : > racing
( i=0; while [ $i -lt 20000 ] && [ -e racing ]; do
  i=$((i + 1))
  ln -sfn /etc/shadow users.json.swap; mv -fT users.json.swap users.json
  ln -sfn /etc/shadow users.json.lock
  cp real.json users.json.swap; mv -fT users.json.swap users.json
  rm -f users.json.lock
done; : > over ) </dev/null >/dev/null 2>&1 &`,
      )
      for (const words of [
        ['plan'],
        ['users', 'list'],
        ['users', 'apply', '--yes'],
        ['install', '--yes'],
        ['users', 'verify'],
      ]) {
        const { stdout, stderr } = await run(words)
        expect(await canary.harm(stdout + stderr), stdout + stderr).toEqual([])
      }
      await asAttacker(
        host,
        user,
        `cd ${folders.state}; rm -f racing; while [ ! -e over ]; do sleep 0.1; done; mv -fT real.json users.json; rm -f users.json.lock users.json.swap over`,
      )
      const again = await run(['install', '--yes'])
      expect(again, again.stdout + again.stderr).toMatchObject({ code: 0 })
    })

    it('leaves nothing behind when it is uninstalled with all of its traps', async () => {
      for (const trap of Object.values(traps)) await asAttacker(host, user, trap(folders))
      const { stdout, stderr, code } = await run(['uninstall', '--yes', '--purge'])
      expect(code, stdout + stderr).toBe(0)
      const left = await must(
        host,
        `ls -d ${folders.state} ${folders.log} /opt/muster 2>/dev/null || true; getent passwd ${user} || true`,
      )
      expect(left, stdout + stderr).toBe('')
      const harmed = (await canary.harm(stdout + stderr)).filter((line) => !line.includes('listener'))
      expect(harmed, harmed.join()).toEqual([])
    })
  })

  it('cannot have root installed below a folder of its own', async () => {
    const host = hostOf(lab, 'db1')
    await must(host, 'useradd --create-home svc; mkdir -p /home/svc/g; chown root /home/svc/g')
    const text = clusterFile(lab, { cluster: 'gamma', topology: 'clustered', hosts: [{ name: 'db1' }] })
    operator.write('gamma.yaml', text.replace('defaults:\n', 'defaults:\n  install-directory: /home/svc/g\n'))
    const { code, stderr, stdout } = await operator.muster(['install', '--yes', 'gamma.yaml'])
    expect(code).toBe(1)
    expect(stderr + stdout).toMatch(
      /\/home\/svc belongs to user id \d+, who could replace what root runs there/,
    )
    expect(await must(host, 'ls -A /home/svc/g; id muster-gamma 2>/dev/null || true')).toBe('')
  })
})

/** Files and folders that root relies on and that somebody else may write. */
async function unsafePaths(host: LabHost, { state, log }: OwnFolders): Promise<readonly string[]> {
  const found = await must(
    host,
    `{ find /opt/muster \\( -path ${state} -o -path ${log} \\) -prune -o ! -type l \\( ! -user root -o -perm /022 \\) -print
stat -c '%n %u %a' / /opt /var /var/lib /var/log /run | grep -v ' 0 [0-7]*[0145][0145]$' | grep -v '^/var/log 0 '; } || true`,
  )
  return found.split('\n').filter((line) => line !== '')
}
