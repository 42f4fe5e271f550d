import { createHash } from 'node:crypto'
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { packagesFolder } from '../support/packages.ts'
import { commandsOf } from '../support/pages.ts'
import { clusterFile } from './scenario/clusterFile.ts'
import { everythingOn } from './scenario/hostState.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { execute, type Outcome, succeed } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { installed, labHere } from './support/requirements.ts'

const password = 'a password for the hosts of the lab'
/** Commands of README.md for the downloaded file: init and install. */
const [init = '', install = ''] = commandsOf('README.md').filter((line) => line.startsWith('./muster '))
const members = ['db1', 'db2', 'db3']
const canEmulate = process.arch === 'arm64' || installed('qemu-aarch64-static')
const needs = labHere.needs || (canEmulate ? '' : ' (needs Debian package qemu-user-static)')

describe.skipIf(labHere.missing || !canEmulate)(`the single executable${needs}`, () => {
  let lab: Lab
  let desk: LabHost
  let arm: LabHost
  let packages: string
  let fresh: ReadonlyMap<string, unknown>

  /** Runs a script on a host as its user ops, who found nothing but one file. */
  const asOps = async (host: LabHost, script: string): Promise<Outcome> => {
    const words = `cd work; export ADMIN_PASS='${password}'\n${script}\n`
    return host.run('su - ops -c "sh -eu -s"', { stdin: words, timeout: 600_000 })
  }
  const mustAsOps = async (host: LabHost, script: string): Promise<string> => {
    const outcome = await asOps(host, script)
    expect(outcome, `${outcome.stdout}${outcome.stderr}`).toMatchObject({ code: 0 })
    return outcome.stdout
  }
  /** Gives a user the file of the host's processor, under the name that README.md gives it. */
  const download = async (host: LabHost, name: string): Promise<void> => {
    await succeed('chroot', [host.root(), 'install', '-d', '-o', 'ops', '/home/ops/work'])
    copyFileSync(join(packages, name), join(host.root(), 'home/ops/work/muster'))
    await host.run('chown ops: /home/ops/work/muster && chmod 644 /home/ops/work/muster')
    await mustAsOps(host, 'chmod +x muster && ln -s muster tapi')
  }
  const put = async (host: LabHost, name: string, content: string | Buffer): Promise<void> => {
    writeFileSync(join(host.root(), 'home/ops/work', name), content, { mode: 0o600 })
    await host.run(`chown ops: /home/ops/work/${name}`)
  }
  const digestOf = (name: string): string =>
    createHash('sha256')
      .update(readFileSync(join(packages, name)))
      .digest('hex')
  const runtimeOf = async (host: LabHost): Promise<string> => {
    const { stdout } = await host.run('sha256sum < /opt/muster/current/node')
    return stdout.split(' ')[0] ?? ''
  }
  const fileFor = (cluster: string, names: readonly string[], lines: readonly string[] = []): string =>
    clusterFile(lab, {
      cluster,
      topology: 'clustered',
      // Emulated programs have no more rights than who calls them, so sudo has none there.
      hosts: names.map((name) => ({ name, ops: name !== 'arm1' })),
      ssh: { identity: 'key', 'known-hosts': 'known_hosts', timeout: '60s' },
      defaults: lines,
    })
  const everything = async (hosts: readonly LabHost[]): Promise<ReadonlyMap<string, unknown>> =>
    new Map(await Promise.all(hosts.map(async (host) => [host.name, await everythingOn(host)] as const)))

  beforeAll(async () => {
    packages = packagesFolder()
    const hosts = ['desk', ...members, 'arm1']
    lab = await startLab({ hosts, ops: hosts, arm64: ['arm1'] })
    desk = hostOf(lab, 'desk')
    arm = hostOf(lab, 'arm1')
    await download(desk, 'muster-linux-x64')
    await put(desk, 'key', readFileSync(lab.keyPath))
    await put(desk, 'known_hosts', readFileSync(lab.knownHostsPath))
    fresh = await everything([...members, 'arm1'].map((name) => hostOf(lab, name)))
  })
  afterAll(() => lab?.stop())

  it('runs where there is neither Node.js nor a route to anywhere else', async () => {
    for (const host of [desk, ...members.map((name) => hostOf(lab, name)), arm]) {
      const { stdout } = await host.run('command -v node npm; ip route')
      expect(stdout.trim().split('\n'), host.name).toEqual([expect.stringMatching(/^10\.\S+ dev host0 /)])
    }
    expect(await mustAsOps(desk, './muster --version; ./tapi --version')).toMatch(/^(\d+\.\d+\.\d+)\n\1\n$/)
  })

  it('writes a file for a cluster as its first step', async () => {
    await mustAsOps(desk, './muster init && ./muster validate && rm muster.yaml muster.schema.json')
  })

  it('is a Debian package, with manual pages and completion, that goes without a trace', async () => {
    // apt's own records of what it did stay.
    const files = async (): Promise<readonly string[]> =>
      (await everythingOn(desk)).filter((line) => !line.startsWith('/var/lib/apt/'))
    const before = await files()
    const name = readdirSync(packages).find((file) => file.endsWith('_amd64.deb')) ?? ''
    copyFileSync(join(packages, name), join(desk.root(), 'root', name))
    const run = async (script: string): Promise<string> => {
      const outcome = await desk.run(`export DEBIAN_FRONTEND=noninteractive\n${script}`, { timeout: 300_000 })
      expect(outcome, outcome.stderr).toMatchObject({ code: 0 })
      return outcome.stdout
    }
    await run(`apt-get install --yes ./${name} && rm ${name}`)
    expect(await run('muster --version; tapi --version')).toMatch(/^(\S+)\n\1\n$/)
    await run('test -s /usr/share/bash-completion/completions/muster && dpkg --verify muster')
    await run('apt-get purge --yes muster')
    expect(await files()).toEqual(before)
  })

  it('is the runtime of the quickstart, which uninstall removes without a trace', async () => {
    await mustAsOps(desk, init)
    const before = await mustAsOps(desk, 'find . | sort')
    const out = await mustAsOps(desk, `${install} --yes`)
    const [, generated = ''] = /user admin {2}password (\S+)/.exec(out) ?? []
    const login = (word: string): string =>
      `echo ${word} | ./tapi --password-stdin --host localhost --user admin user admin`
    expect(await mustAsOps(desk, login(generated))).toContain('admin')
    expect(await asOps(desk, login('wrong'))).toMatchObject({ code: 1 })
    expect(await mustAsOps(desk, './muster status')).toMatch(/\nOK\n/)
    expect(await mustAsOps(desk, 'cmp muster alpha/current/node && echo same')).toBe('same\n')
    await mustAsOps(desk, './muster uninstall --yes --purge')
    expect(await mustAsOps(desk, 'find . | sort; pgrep -u ops -f "[s]erve --settings" || true')).toBe(before)
    await mustAsOps(desk, 'rm muster.yaml muster.schema.json')
  })

  it('installs three hosts, is their runtime, and status, login and a second run find nothing wrong', async () => {
    await put(desk, 'alpha.yaml', fileFor('alpha', members))
    await mustAsOps(desk, './muster check alpha.yaml')
    await mustAsOps(desk, './muster install --yes alpha.yaml')
    for (const name of members) {
      expect(await runtimeOf(hostOf(lab, name))).toBe(digestOf('muster-linux-x64'))
      const login = `printf %s "$ADMIN_PASS" | ./tapi --password-stdin --host ${name} --user admin user admin`
      expect(await mustAsOps(desk, login)).toContain('admin')
    }
    expect(await mustAsOps(desk, './muster status alpha.yaml')).toContain('ready')
    expect(await mustAsOps(desk, './muster install --yes alpha.yaml')).toContain('nothing to do on 3 hosts')
  })

  it('leaves nothing on three hosts that it uninstalls', async () => {
    await mustAsOps(desk, './muster uninstall --yes --purge alpha.yaml')
    const hosts = members.map((name) => hostOf(lab, name))
    expect(await everything(hosts)).toEqual(new Map(members.map((name) => [name, fresh.get(name)])))
  })

  it('upgrades an installation of the npm package, which rollback and the npm package take back', async () => {
    const operator: Operator = createOperator(lab, 'npm', password)
    const file = operator.write(
      'beta.yaml',
      clusterFile(lab, { cluster: 'beta', topology: 'clustered', hosts: [{ name: 'db1' }] }),
    )
    const single = (...args: readonly string[]): Promise<Outcome> =>
      execute(join(packages, 'muster-linux-x64'), args, {
        cwd: operator.directory,
        // A program of the caller's, which the executable must not load.
        env: { ...process.env, ADMIN_PASS: password, NODE_OPTIONS: '--require=/nowhere.js' },
      })
    const runtime = () => runtimeOf(hostOf(lab, 'db1'))
    const run = async (outcome: Promise<Outcome>): Promise<string> => {
      const { code, stdout, stderr } = await outcome
      expect(code, stdout + stderr).toBe(0)
      return runtime()
    }
    const pinned = await run(operator.muster(['install', '--yes', file]))
    expect(await run(single('upgrade', '--yes', file))).toBe(digestOf('muster-linux-x64'))
    expect(await run(single('rollback', '--yes', file))).toBe(pinned)
    expect(await run(single('install', '--yes', file))).toBe(digestOf('muster-linux-x64'))
    expect(await run(operator.muster(['install', '--yes', file]))).toBe(pinned)
    expect((await single('uninstall', '--yes', '--purge', file)).code).toBe(0)
    const name = 'db1'
    expect(await everything([hostOf(lab, name)])).toEqual(new Map([[name, fresh.get(name)]]))
  })

  it('names the file to download for a host with another processor, before it changes anything', async () => {
    await put(desk, 'gamma.yaml', fileFor('gamma', ['arm1']))
    const refused = await asOps(desk, './muster install --yes gamma.yaml')
    expect(refused.code).toBe(1)
    expect(refused.stderr + refused.stdout).toContain('--runtime-file muster-linux-arm64')
    expect(await everything([arm])).toEqual(new Map([['arm1', fresh.get('arm1')]]))
  })

  it('installs, changes and upgrades an arm64 host with the file for it, and uninstall leaves nothing', async () => {
    copyFileSync(join(packages, 'muster-linux-arm64'), join(desk.root(), 'home/ops/work/muster-linux-arm64'))
    const withFile = '--runtime-file muster-linux-arm64 --yes gamma.yaml'
    await mustAsOps(desk, `./muster install ${withFile}`)
    expect((await arm.run('uname -m')).stdout).toBe('aarch64\n')
    expect(await runtimeOf(arm)).toBe(digestOf('muster-linux-arm64'))
    const login = 'printf %s "$ADMIN_PASS" | ./tapi --password-stdin --host arm1 --user admin user admin'
    expect(await mustAsOps(desk, login)).toContain('admin')
    await put(desk, 'gamma.yaml', fileFor('gamma', ['arm1'], ['manager-rest-api-port: 18090']))
    await mustAsOps(desk, `./muster upgrade ${withFile}`)
    expect((await arm.run('ss -Htln sport = 18090')).stdout).toContain('18090')
    expect(await mustAsOps(desk, login)).toContain('admin')
    // A read takes 8 s at most, which an emulated host on a busy machine needs now and then.
    const isReady = async () => expect(await mustAsOps(desk, './muster status gamma.yaml')).toContain('ready')
    await vi.waitFor(isReady, { timeout: 180_000, interval: 1000 })
    await mustAsOps(desk, './muster uninstall --yes --purge gamma.yaml')
    expect(await everything([arm])).toEqual(new Map([['arm1', fresh.get('arm1')]]))
  })

  it('starts on an arm64 host by itself', async () => {
    await download(arm, 'muster-linux-arm64')
    expect(await mustAsOps(arm, './muster --version')).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})
