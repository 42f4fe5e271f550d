import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { Destination, Route } from '../../src/transport/destination.ts'
import { sshCommand } from '../../src/transport/sshArguments.ts'

const keys: Destination['keys'] = { first: ['/keys/a b'], files: [], agent: 'listed', required: true }

const destination = (more: Partial<Destination> = {}): Destination => ({
  label: 'db1',
  jump: false,
  address: '10.0.0.11',
  port: 2222,
  user: 'ops',
  keys,
  check: { files: ['/known hosts'], names: ['10.0.0.11', 'db1'] },
  timeout: 1500,
  ...more,
})

const commandFor = (route: Partial<Route>, words: readonly string[] = []) =>
  sshCommand({
    host: 'db1',
    route: { jumps: [], target: destination(), ...route },
    keyOf: ({ check, address }) => ({ files: check.files, alias: `alias-${address}` }),
    config: 'none',
    words,
  })

/** What ssh itself makes of the command. */
const understood = (command: readonly string[]): ReadonlyMap<string, string> => {
  const [program = '', ...argv] = command
  const printed = execFileSync(program, ['-G', ...argv], { encoding: 'utf8' })
  return new Map(
    printed.split('\n').map((line) => [line.split(' ', 1)[0] ?? '', line.slice(line.indexOf(' ') + 1)]),
  )
}

describe('the command of ssh', () => {
  it('gives ssh the login of muster, and no other', () => {
    const options = understood(commandFor({}))
    const read = (...names: readonly string[]) => names.map((name) => options.get(name))
    expect(read('hostname', 'port', 'user', 'connecttimeout')).toEqual(['10.0.0.11', '2222', 'ops', '2'])
    expect(read('identityfile', 'identitiesonly', 'identityagent')).toEqual(['/keys/a b', 'yes', 'none'])
    expect(read('userknownhostsfile', 'hostkeyalias')).toEqual(['/known hosts', 'alias-10.0.0.11'])
    expect(options.get('stricthostkeychecking')).toMatch(/^(yes|true)$/)
    expect(commandFor({})).toContain('VerifyHostKeyDNS=no')
    expect(options.has('proxycommand')).toBe(false)
  })

  it('hands a command on as it stands, behind the name of the host', () => {
    const command = commandFor({}, ['-l', 'root', '$(id)'])
    expect(command.slice(-5)).toEqual(['--', 'db1', '-l', 'root', '$(id)'])
    expect(understood(command).get('user')).toBe('ops')
  })

  it('goes through each jump host with its own keys, whatever characters their names have', () => {
    const hostile = "/keys/a'b $(touch x);%h `id`"
    const jumps = [
      destination({
        label: 'one',
        address: 'gate1',
        user: 'DOMAIN\\ops',
        port: 22,
        keys: { ...keys, first: [hostile] },
      }),
      destination({
        label: 'two',
        address: 'fe80::1%eth0',
        user: 'two',
        keys: { ...keys, first: [`${hostile}'`] },
      }),
    ]
    let options = understood(commandFor({ jumps }))
    const through: string[] = []
    for (;;) {
      const proxy = options.get('proxycommand')
      if (proxy === undefined) break
      // ssh replaces its tokens and gives the rest to a shell.
      const line = proxy.replaceAll('%%', '%')
      const words = execFileSync('sh', ['-c', `set -- ${line}; printf '%s\\0' "$@"`], { encoding: 'utf8' })
      const argv = words.split('\0').slice(0, -1)
      options = understood(argv)
      through.push(
        `${options.get('identityfile')}: ${options.get('user')}@${options.get('hostname')} to ${argv[argv.indexOf('-W') + 1]}`,
      )
    }
    expect(through.map((text) => text.replaceAll('%%', '%'))).toEqual([
      `${hostile}': two@fe80::1%eth0 to 10.0.0.11:2222`,
      `${hostile}: DOMAIN\\ops@gate1 to [fe80::1%eth0]:2222`,
    ])
  })

  it('keeps the ProxyCommand, address and family of ssh_config', () => {
    const target = destination({ proxyCommand: 'nc 100% h', localAddress: '127.0.0.1', family: 4 })
    const options = understood(commandFor({ target }))
    expect(options.get('proxycommand')).toBe('nc 100%% h')
    expect([options.get('bindaddress'), options.get('addressfamily')]).toEqual(['127.0.0.1', 'inet'])
  })

  it.each(['/a"b', '/a\\b', `/a$${'{'}HOME}`, '/a\nProxyCommand=x'])('refuses the path %j', (path) => {
    const check = { ...destination().check, files: [path] }
    expect(() => commandFor({ target: destination({ check }) })).toThrow(/^ssh cannot be given the path/)
  })
})
