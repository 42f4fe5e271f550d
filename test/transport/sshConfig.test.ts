import { describe, expect, it } from 'vitest'
import { readSshConfig, type SshConfig } from '../../src/transport/sshConfig.ts'

const env = { home: '/home/ops', user: 'ops', variables: { MY_AGENT: '/run/agent', KEYS: '/keys' } }

/** What is read where ssh prints these lines besides those that it always prints. */
const read = (...lines: readonly string[]): SshConfig =>
  readSshConfig(
    [
      ...lines,
      'host db1',
      'user alice',
      'hostname db1.example.org',
      'port 2222',
      'addressfamily any',
      'identitiesonly no',
      'pubkeyauthentication true',
      'stricthostkeychecking ask',
      'proxyusefdpass no',
      'canonicalizePermittedcnames none',
      'globalknownhostsfile /etc/ssh/ssh_known_hosts /etc/ssh/ssh_known_hosts2',
      'userknownhostsfile /root/.ssh/known_hosts /root/.ssh/known_hosts2',
      'connecttimeout none',
      '',
    ].join('\n'),
    { host: 'db1', env, sshHome: '/root' },
  )

const usual = ['rsa', 'ecdsa', 'ecdsa_sk', 'ed25519', 'ed25519_sk', 'xmss', 'dsa'].map(
  (name) => `identityfile ~/.ssh/id_${name}`,
)

describe('the output of ssh -G', () => {
  it('is parsed with the home of HOME instead of that of the user database', () => {
    expect(read(...usual)).toEqual({
      hostname: 'db1.example.org',
      port: 2222,
      user: 'alice',
      identitiesOnly: false,
      jump: [],
      knownHosts: [
        '/home/ops/.ssh/known_hosts',
        '/home/ops/.ssh/known_hosts2',
        '/etc/ssh/ssh_known_hosts',
        '/etc/ssh/ssh_known_hosts2',
      ],
      globalKnownHosts: ['/etc/ssh/ssh_known_hosts', '/etc/ssh/ssh_known_hosts2'],
      refused: { keys: [], hostKeys: [], way: [] },
      gssapi: false,
      undone: [],
      variables: [],
    })
  })

  it('undoes options that leave no shell, or fill the log of ssh', () => {
    expect(read('sessiontype none', 'stdinnull no', 'logverbose *:*:*').undone).toEqual([
      'SessionType=default',
      'LogVerbose=none',
    ])
  })

  it('has key files with tokens, variables and blanks expanded', () => {
    const { identities, refused } = read(
      'identityfile ~/.ssh/%r@%h:%p',
      'identityfile /with blank/%n 100%%',
      `identityfile \${KEYS}/%u`,
    )
    expect(identities).toEqual([
      '/home/ops/.ssh/alice@db1.example.org:2222',
      '/with blank/db1 100%',
      '/keys/ops',
    ])
    expect(refused.keys).toEqual([])
  })

  it.each([
    ['identityagent none', 'none'],
    ['identityagent SSH_AUTH_SOCK', undefined],
    ['identityagent $MY_AGENT', '/run/agent'],
    ['identityagent $NOT_THERE', 'none'],
    ['identityagent ~/.1password/agent.sock', '/home/ops/.1password/agent.sock'],
  ])('gives the agent for %s', (line, agent) => {
    expect(read(line).agent).toBe(agent)
  })

  it('gives jump hosts, ProxyCommand, alias and known_hosts files', () => {
    expect(read('proxyjump bob@b1:2200,[2001:db8::1]:22').jump).toEqual(['bob@b1:2200', '[2001:db8::1]:22'])
    expect(read('proxyjump none', 'proxycommand none')).toMatchObject({ jump: [] })
    expect(read('proxycommand nc -q0 %h %p').proxyCommand).toBe('nc -q0 db1.example.org 2222')
    expect(read('hostkeyalias db').hostKeyAlias).toBe('db')
    expect(read('userknownhostsfile /a b/kh ~/kh /dev/null').knownHosts.slice(0, 3)).toEqual([
      '/a b/kh',
      '/home/ops/kh',
      '/dev/null',
    ])
    expect(read('userknownhostsfile none').knownHosts[0]).toBe('/etc/ssh/ssh_known_hosts')
    expect(read('connecttimeout 7').timeout).toBe(7000)
    expect(read('identitiesonly yes').identitiesOnly).toBe(true)
    expect(read('addressfamily inet6', 'bindaddress ::1')).toMatchObject({ family: 6, bindAddress: '::1' })
    expect(read('stricthostkeychecking accept-new').lenient).toBe('accept-new')
    expect(read('stricthostkeychecking false').lenient).toBe('no')
    expect(read('stricthostkeychecking true').lenient).toBeUndefined()
  })

  it.each([
    ['keys', 'certificatefile ~/id-cert.pub', 'CertificateFile'],
    ['keys', 'pkcs11provider /usr/lib/token.so', 'PKCS11Provider'],
    ['keys', 'pubkeyauthentication false', 'PubkeyAuthentication no'],
    ['keys', 'preferredauthentications gssapi-with-mic', 'PreferredAuthentications gssapi-with-mic'],
    ['keys', 'identityfile ~/.ssh/%C', 'IdentityFile with %C'],
    ['keys', `identityfile \${NOT_THERE}/id`, `IdentityFile with \${NOT_THERE}`],
    ['hostKeys', 'knownhostscommand /bin/keys %h', 'KnownHostsCommand'],
    ['hostKeys', 'revokedhostkeys /etc/ssh/revoked', 'RevokedHostKeys'],
    ['way', 'bindinterface eth0', 'BindInterface'],
    ['way', 'proxycommand nc %C', 'ProxyCommand with %C'],
  ] as const)('is reported if it sets an unsupported option for %s: %s', (about, line, name) => {
    const { refused } = read(line)
    expect(refused).toEqual({ keys: [], hostKeys: [], way: [], [about]: [name] })
  })

  it('is accepted if publickey is one of several methods', () => {
    expect(read('preferredauthentications publickey,password').refused.keys).toEqual([])
  })
})
