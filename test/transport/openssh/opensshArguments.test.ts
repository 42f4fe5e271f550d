import { describe, expect, it } from 'vitest'
import type { Destination } from '../../../src/transport/destination.ts'
import {
  field,
  forwardCommand,
  opensshCommand,
  proxyThrough,
  serverArguments,
  unattended,
} from '../../../src/transport/openssh/opensshArguments.ts'

const to = (changes: Partial<Destination> = {}): Destination => ({
  label: 'db1',
  jump: false,
  address: '10.0.0.1',
  port: 2222,
  user: 'ops',
  keys: { first: ['/keys/one'], files: ['/keys/two'], agent: 'all', required: false },
  check: { files: ['/etc/known'], names: ['10.0.0.1', 'db1'] },
  timeout: 8000,
  ...changes,
})
const argumentsFor = (destination: Destination): readonly string[] =>
  serverArguments({ to: destination, proxy: undefined, trusted: { file: '/private/known' }, usual: {} })

describe('the arguments of the system’s ssh', () => {
  it('accept no unknown key, whatever ssh_config says, and let it find its own files', () => {
    const all = argumentsFor(to())
    expect(all).toContain('StrictHostKeyChecking=yes')
    expect(all).toContain('VerifyHostKeyDNS=no')
    expect(all).toContain('UpdateHostKeys=no')
    expect(all).toContain('GlobalKnownHostsFile="/private/known"')
    expect(all).toContain('IdentityFile="/keys/one"')
    expect(all.join(' ')).not.toMatch(/UserKnownHostsFile|\/keys\/two/)
  })

  it('name known keys of all users as they stand, because that option has no tokens', () => {
    const openssh = {
      ...{ wanted: true, reasons: [], undone: [], variables: [], globalKnownHosts: ['/etc/100%'] },
      question: { label: 'db1', host: 'db1' },
    }
    const all = serverArguments({
      ...{ to: to({ openssh }), proxy: undefined, usual: {} },
      trusted: { file: '/tmp/50%/known' },
    })
    expect(all).toContain('GlobalKnownHostsFile="/tmp/50%/known" "/etc/100%"')
  })

  it('accept the pinned key alone: by a command that compares what the host shows', () => {
    const all = argumentsFor(to({ check: { files: [], names: ['db1'], pinned: 'SHA256:abc+/d=' } }))
    expect(all).toContain('UserKnownHostsFile=none')
    expect(all).toContain('GlobalKnownHostsFile=none')
    expect(all).toContain(
      `KnownHostsCommand=/bin/sh -c 'if test "$1" = SHA256:abc+/d; then echo "$2 $3 $4"; fi' sh %f %H %t %K`,
    )
  })

  it('offer no other key of the agent than a required one', () => {
    const keys = { first: ['/keys/one'], files: [], agent: 'all', required: true } as const
    expect(argumentsFor(to({ keys }))).toContain('IdentitiesOnly=yes')
    expect(argumentsFor(to())).not.toContain('IdentitiesOnly=yes')
  })

  it('ask nothing, and share no connection with a master of the user’s own', () => {
    const files = { log: '/c/log', control: '/c/%C', knownHosts: '/c/known' }
    const all = unattended(to(), files, { timeout: 8100, keepalive: 500 })
    for (const option of [
      'BatchMode=yes',
      'ControlPath="/c/%%C"',
      'ControlPersist=no',
      'RemoteCommand=none',
      'ForwardAgent=no',
      'ConnectTimeout=9',
      'ServerAliveInterval=1',
    ]) {
      expect(all).toContain(option)
    }
  })

  it('name the destination last, after everything that could be taken for an option', () => {
    expect(proxyThrough('/c/s', to())).toMatch(/^'ssh' '-F' 'none' .* '-W' '10\.0\.0\.1:2222' '--' 'muster'$/)
    expect(forwardCommand('/c/s', { from: '/c/a:b', to: '127.0.0.1:3306' }).slice(-5)).toEqual([
      'forward',
      '-L',
      String.raw`/c/a\:b:127.0.0.1:3306`,
      '--',
      'muster',
    ])
    expect(field(String.raw`a\b:c`)).toBe(String.raw`a\\b\:c`)
  })

  it('of a command for a person go through each jump host in its turn', () => {
    const jump = (address: string): Destination =>
      to({ jump: true, address, label: `the jump host ${address}` })
    const command = opensshCommand({
      route: { jumps: [jump('10.9.0.1'), jump('10.9.0.2')], target: to() },
      trustedOf: () => ({ file: '/private/known' }),
      usual: {},
      words: ['id', '-u'],
    })
    expect(command[0]).toBe('ssh')
    expect(command.slice(-2)).toEqual(['id', '-u'])
    const proxy = command.find((one) => one.startsWith('ProxyCommand=')) ?? ''
    expect(proxy).toMatch(/^ProxyCommand='ssh' '-W' '10\.0\.0\.1:2222' .* '10\.9\.0\.2'$/)
    expect(proxy).toContain('10.9.0.2:2222')
  })
})
