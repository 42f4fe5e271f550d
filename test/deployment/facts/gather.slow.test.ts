import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { quote } from '../../../src/base/shellWords.ts'
import { gatherFacts, gatherInstalled } from '../../../src/deployment/facts/gather.ts'
import type { HostFacts } from '../../../src/deployment/facts/hostFacts.ts'
import { layoutOf } from '../../../src/deployment/layout.ts'
import { serviceData } from '../../../src/deployment/services/implementations.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import type { Transport } from '../../../src/transport/transport.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "muster facts'-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function facts(
  root: string,
  hostStores: readonly string[] = [],
  changed: (script: string) => string = (script) => script,
): Promise<HostFacts> {
  const transport = await connectLocal({ host: 'here', env: process.env })
  const run: Transport['run'] = (script, options) => transport.run(changed(script), options)
  try {
    return await gatherFacts(
      { ...transport, run },
      {
        cluster: 'alpha',
        layout: layoutOf(root),
        user: 'root',
        hostStores,
      },
    )
  } finally {
    await transport.close()
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

describe('gatherFacts', () => {
  it('reads host name, login and system', async () => {
    const here = await facts(join(folder, 'none'))
    expect(here).toMatchObject({
      hostname: hostname(),
      kernel: 'Linux',
      uid: process.getuid?.(),
      userGroup: 'root',
    })
    // Root runs none that others could have put there.
    const isRun = here.node?.rootOwned === true || process.getuid?.() !== 0
    expect(here.node?.version).toMatch(isRun ? /^v\d+\./ : /^$/)
  })

  it('reports that nothing is installed and whether it is possible', async () => {
    const { installation, services } = await facts(join(folder, 'not', 'there'))
    expect(installation).toMatchObject({ exists: false, writable: true, releases: [], runtimes: [] })
    expect(installation.freeBytes).toBeGreaterThan(1024 ** 2)
    expect([...services.values()].map(({ state }) => state)).toEqual(['absent', 'absent', 'absent'])
  })

  it.each([
    ['/mnt/a\\040disk ext4 rw,nosuid,noexec,relatime', true],
    ['/mnt/a\\040disk ext4 rw,noexecutive', false],
    ['/mnt ext4 rw,noexec', false],
    ['/mnt/a\\040disk ext4 noexec 0 0\n/dev/sdb /mnt/a\\040disk xfs rw', false],
    ['/mnt/a\\040disk ext4 rw 0 0\n/dev/sdb /mnt/a\\040disk xfs noexec', true],
  ])('reports noexec of the file system: %j', async (mounted, noexec) => {
    const mounts = join(folder, 'mounts')
    writeFileSync(mounts, `/dev/sda / ext4 rw 0 0\n/dev/sdb ${mounted} 0 0\n`)
    const df = 'df() { printf "Filesystem\\n/dev/sdb 90 40 50 45%% /mnt/a disk\\n"; }\n'
    const { installation } = await facts(folder, [], (script) =>
      df.concat(script.replace('/proc/self/mounts', `'${mounts.replace("'", `'\\''`)}'`)),
    )
    expect(installation).toMatchObject({ noexec, freeBytes: 50 * 1024 })
  })

  it('reads the installed files', async () => {
    const layout = layoutOf(folder)
    const data = serviceData('process', { root: folder, cluster: 'alpha' })
    for (const path of [layout.releases, layout.tls, layout.applied, layout.processes, data.state]) {
      mkdirSync(path, { recursive: true, mode: 0o755 })
    }
    mkdirSync(`${layout.releases}/1.0-0123456789ab`)
    mkdirSync(`${layout.releases}/.new-release`)
    writeFileSync(`${layout.releases}/1.0-0123456789ab/.complete`, '')
    symlinkSync('releases/1.0-0123456789ab', layout.current)
    writeFileSync(layout.manifest, '{"cluster":"alpha","host":"db1"}')
    writeFileSync(layout.account, 'process root\n')
    writeFileSync(data.usersFile, 'the users', { mode: 0o600 })
    writeFileSync(layout.settings('manager'), '{"a":1}', { mode: 0o644 })
    writeFileSync(layout.appliedFile('manager'), 'digest\n')
    const { installation, services } = await facts(folder)
    expect(installation).toMatchObject({
      exists: true,
      manifest: '{"cluster":"alpha","host":"db1"}\n',
      currentRelease: '1.0-0123456789ab',
      releases: [{ id: '1.0-0123456789ab', turn: 0, node: '', nodeThere: false }],
      runtimes: [],
    })
    expect(installation.users?.reveal()).toBe('the users')
    expect(installation.settings.get('manager')).toEqual({ a: 1 })
    expect(installation.applied.get('manager')).toBe('digest')
    expect(installation.files.get(layout.settings('manager'))).toMatchObject({
      sha256: sha256('{"a":1}'),
      mode: 0o644,
    })
    expect(installation.directories.get(layout.tls)?.mode).toBe(0o755)
    expect(services.get('manager')?.state).toBe('stopped')
    expect(services.get('connector')?.state).toBe('absent')

    // Who wants less of it sees the same.
    const transport = await connectLocal({ host: 'here', env: process.env })
    const less = await gatherInstalled(transport, { cluster: 'alpha', layout })
    await transport.close()
    expect(await facts(folder)).toMatchObject(less)
    expect(less).toMatchObject({
      hostname: hostname(),
      installation: { exists: true, currentRelease: '1.0-0123456789ab' },
    })
    expect(less).not.toHaveProperty('kernel')
  })

  it('does not parse lines of file contents as rows', async () => {
    const layout = layoutOf(folder)
    const data = serviceData('process', { root: folder, cluster: 'alpha' })
    mkdirSync(layout.share, { recursive: true })
    mkdirSync(data.state)
    writeFileSync(layout.account, 'process root\n')
    const text = `uid\t99\n${layout.manifest}:{}\n\n  tab\there\\n 'ü' $(id) \`id\`\n`
    writeFileSync(data.usersFile, text)
    const here = await facts(folder)
    expect(here.installation.users?.reveal()).toBe(text)
    expect(here.installation).not.toHaveProperty('manifest')
    expect(here.uid).toBe(process.getuid?.())
  })

  it('does not parse folder names as rows', async () => {
    const layout = layoutOf(folder)
    const name = 'x\nnode\t%s\tv24.0.0\tyes\nrelease\t1.0.0-0123456789ab\t9\t\tnode\tyes\nuid\t99'
    for (const parent of [layout.releases, layout.runtimes, layout.tls, layout.applied, layout.share]) {
      mkdirSync(join(parent, name), { recursive: true })
      writeFileSync(join(parent, name, '.complete'), '')
      writeFileSync(join(parent, `${name} file`), '')
      // A byte that is no character hides the line feeds from who looks for characters.
      writeFileSync(Buffer.concat([Buffer.from(`${parent}/${name} file`), Buffer.from([0xff])]), '')
    }
    const [here, empty] = [await facts(folder), await facts(join(folder, 'none'))]
    expect(here.installation).toMatchObject({ releases: [], runtimes: [] })
    expect({ uid: here.uid, node: here.node }).toEqual({ uid: empty.uid, node: empty.node })
  })

  it.each([
    [
      'uid=1003(AD\\\\db admin) gid=1100(domain users) groups=1100(domain users)',
      1003,
      'AD\\db admin',
      'domain users',
    ],
    ['uid=1003 gid=1100 groups=1100', 1003, '1003', '1100'],
  ])('parses the output of id(1): %s', async (told, uid, login, group) => {
    const id = `id() { case $*:$# in :0) printf '%b\\n' '${told}' ;; -u:1) echo ${uid} ;; *) command id "$@" ;; esac; }\n`
    expect(await facts(folder, [], (script) => id + script)).toMatchObject({ uid, login, group })
  })

  it("reports whether only root can change the host's Node.js", async () => {
    const bin = join(folder, 'bin')
    mkdirSync(bin, { mode: 0o755 })
    symlinkSync(process.execPath, join(bin, 'node'))
    // That of these tests may be below /tmp.
    const anywhere = (script: string): string => script.replace('/tmp/*|/var/tmp/*|', '')
    // Of the way to the Node.js alone: /, usr, bin and the program.
    const modes = (told: string): string =>
      `stat() { case $* in *node*) printf '${told}' ;; *) command stat "$@" ;; esac; }\n`
    const rootOwned = async (told: string): Promise<boolean | undefined> =>
      (await facts(folder, [], (script) => modes(told) + anywhere(script))).node?.rootOwned
    expect(await rootOwned('0 755 d /\\n0 1755 d /bin\\n0 500 - /bin/node\\n')).toBe(true)
    for (const bad of ['0 775', '10 755', '0 757', '10 1777', '10 777']) {
      expect(await rootOwned(`0 755 d /\\n${bad} d /bin\\n0 755 - /bin/node\\n`)).toBe(false)
    }
    expect(
      (
        await facts(
          folder,
          [],
          (script) => `stat() { case $* in *node*) return 1 ;; *) command stat "$@" ;; esac; }\n${script}`,
        )
      ).node?.rootOwned,
    ).toBe(false)
  })

  it('does not use or run a Node.js below /tmp', async () => {
    const path = join(folder, 'bin', 'node')
    mkdirSync(join(folder, 'bin'), { mode: 0o755 })
    writeFileSync(path, `#!/bin/sh\necho ran > ${quote(join(folder, 'ran'))}; echo v99.0.0\n`, {
      mode: 0o755,
    })
    const { node } = await facts(
      folder,
      [],
      (script) => `PATH=${quote(join(folder, 'bin'))}:$PATH\n${script}`,
    )
    expect(node).toMatchObject({ path: realpathSync(path), rootOwned: false })
    if (process.getuid?.() === 0) expect(existsSync(join(folder, 'ran'))).toBe(false)
  })

  it('asks systemd only if not all services are seen running', async () => {
    const layout = layoutOf(join(folder, 'muster'))
    const [units, groups] = [join(folder, 'units'), join(folder, 'cgroup')]
    const unitOf = (component: string): string => `muster-alpha-${component}.service`
    for (const [index, component] of ['manager', 'connector'].entries()) {
      const group = join(groups, 'system.slice', unitOf(component))
      mkdirSync(group, { recursive: true })
      mkdirSync(join(units, 'multi-user.target.wants'), { recursive: true })
      writeFileSync(join(units, unitOf(component)), '[Service]\n')
      writeFileSync(join(group, 'cgroup.procs'), `${41 + index}\n99\n`)
    }
    symlinkSync('/x', join(units, 'multi-user.target.wants', unitOf('manager')))
    const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`
    const systemctl = `systemctl() {
  echo asked >&2; printf 'Id=%s\\nActiveState=active\\nMainPID=7\\n\\n' ${unitOf('manager')}
}\n`
    const transport = await connectLocal({ host: 'here', env: process.env })
    let said = ''
    const run: Transport['run'] = async (script, options) => {
      const here = script
        .replaceAll('units=/etc/systemd/system', `units=${quoted(units)}`)
        .replaceAll('=/etc/systemd/system/', `=${quoted(units)}/`)
        .replaceAll('/sys/fs/cgroup', quoted(groups))
        .replaceAll('/run/systemd/system', '/')
      const result = await transport.run(systemctl + here, options)
      said = result.stderr.raw()
      return result
    }
    const look = () => gatherInstalled({ ...transport, run }, { cluster: 'alpha', layout })
    expect([...(await look()).services]).toEqual([
      ['manager', { state: 'running', enabled: true, pid: 41 }],
      ['connector', { state: 'running', enabled: false, pid: 42 }],
      ['replicator', { state: 'absent', enabled: false }],
    ])
    expect(said).toBe('')
    // A group without a process.
    writeFileSync(join(groups, 'system.slice', unitOf('connector'), 'cgroup.procs'), '')
    expect([...(await look()).services]).toEqual([
      ['manager', { state: 'running', enabled: false, pid: 7 }],
      ['connector', { state: 'stopped', enabled: false }],
      ['replicator', { state: 'absent', enabled: false }],
    ])
    await transport.close()
  })

  it('recognizes a component only by pid and start time', async () => {
    const layout = layoutOf(folder)
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
    mkdirSync(layout.processes, { recursive: true })
    writeFileSync(layout.settings('manager'), '{}')
    writeFileSync(layout.pidFile('manager'), `${process.pid} 1 ${boot}`)
    expect((await facts(folder)).services.get('manager')?.state).toBe('stopped')
  })

  it('reads TCP listeners', async () => {
    const server = createServer()
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const { listeners } = await facts(folder)
    server.close()
    expect(listeners).toContainEqual({ address: '127.0.0.1', port })
  })

  it('reads stores of the file on the host and skips missing ones', async () => {
    const path = join(folder, 'key store.p12')
    writeFileSync(path, Buffer.from([0, 255, 10, 13]))
    const { hostStores } = await facts(folder, [path, join(folder, 'absent')])
    expect([...hostStores]).toEqual([[path, Buffer.from([0, 255, 10, 13])]])
  })
})
