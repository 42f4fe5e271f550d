import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quote } from '../../../src/base/shellWords.ts'
import { sshOptions } from '../../../src/deployment/render/sshOptions.ts'
import { hostConfig } from '../../support/deploymentValues.ts'
import { hasSshd, type Sshd, startSshd } from '../../support/sshd.ts'

const optionsOf = (ssh: Partial<Parameters<typeof sshOptions>[0]['ssh']>): readonly string[] =>
  sshOptions(hostConfig({ ssh: { transport: 'builtin', become: false, ...ssh } }))

describe('options of ssh for a host', () => {
  it('are none without an ssh section, and turn off the jump hosts of ssh_config on request', () => {
    expect(optionsOf({})).toEqual([])
    expect(optionsOf({ jump: ['none'] })).toEqual(['-o', 'ProxyJump=none'])
  })

  it('lead through a jump host with its user, its port and the ssh_config file, and leave it the rest', () => {
    expect(optionsOf({ config: '/ssh config', jump: ['ops@[fd00::1]:2222'] })).toEqual([
      '-F',
      '/ssh config',
      '-o',
      "ProxyCommand=ssh '-F' '/ssh config' '-p' '2222' '-l' 'ops' -W '[%h]:%p' -- 'fd00::1'",
      '-o',
      'ProxyUseFdpass=no',
    ])
  })

  it('refuse a path that ssh cannot be given', () => {
    const refused = expect.objectContaining({ code: 'ssh-config' })
    expect(() => optionsOf({ knownHosts: '/a"b' })).toThrow(refused)
    expect(() => optionsOf({ identity: '/a"b', jump: ['bastion'] })).toThrow(refused)
  })
})

describe.skipIf(!hasSshd)('options of ssh behind two jump hosts (needs sshd and root)', () => {
  const servers: Sshd[] = []
  let [top, folder, identity, knownHosts] = ['', '', '', '']
  beforeAll(async () => {
    const first = await startSshd('127.0.0.1', { forwarding: true })
    const settings = () => [`AuthorizedKeysFile ${first.folder}/authorized_keys`]
    servers.push(first)
    for (let count = 0; count < 2; count += 1) {
      servers.push(await startSshd('127.0.0.1', { forwarding: true, settings }))
    }
    top = mkdtempSync(join(tmpdir(), 'muster-'))
    folder = join(top, "an %h 'or'")
    mkdirSync(folder)
    identity = join(folder, 'key')
    knownHosts = join(folder, 'known hosts')
    copyFileSync(first.identity, identity)
    writeFileSync(knownHosts, servers.map((one) => readFileSync(one.knownHosts, 'utf8')).join(''))
  })
  afterAll(async () => {
    await Promise.all(servers.map((one) => one.close()))
    rmSync(top, { recursive: true, force: true })
  })

  const login = (jump: readonly string[], more: Partial<Parameters<typeof optionsOf>[0]> = {}): string => {
    const words = [
      ...['ssh', ...optionsOf({ identity, knownHosts, jump, ...more })],
      ...['-o', 'BatchMode=yes', '-o', `IdentityFile="${identity.replaceAll('%', '%%')}"`],
      ...['-p', String(servers[2]?.port), 'root@127.0.0.1', 'echo', 'here'],
    ]
    // As Ansible does: the words go through a shell's rules once.
    return execFileSync('sh', ['-c', words.map(quote).join(' ')], { stdio: 'pipe' }).toString()
  }
  const way = () => servers.slice(0, 2).map(({ port }) => `root@127.0.0.1:${port}`)

  it('log in to all of them with the key and the known hosts of the host', () => {
    expect(login(way())).toBe('here\n')
    expect(login(way().slice(0, 1))).toBe('here\n')
  })

  it('log in to no jump host that is not known', () => {
    const lines = readFileSync(knownHosts, 'utf8').trim().split('\n')
    const some = join(folder, 'some')
    writeFileSync(some, `${lines.slice(1).join('\n')}\n`)
    expect(() => login(way(), { knownHosts: some })).toThrow('Host key verification failed')
  })

  it('reach the first jump host by the way of ssh_config', () => {
    // ssh does not quote it where it makes a command of a ProxyJump.
    const config = join(top, 'config')
    const [one, two] = servers.map(({ port }) => port)
    writeFileSync(
      config,
      `Host first second
  HostName 127.0.0.1
  User root
Host first
  Port ${one}
  IdentityFile "${identity.replaceAll('%', '%%')}"
  UserKnownHostsFile "${knownHosts.replaceAll('%', '%%')}"
Host second
  Port ${two}
  ProxyJump first
`,
    )
    expect(login(['second'], { config })).toBe('here\n')
  })
})
