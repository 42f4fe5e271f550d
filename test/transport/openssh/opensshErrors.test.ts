import { describe, expect, it } from 'vitest'
import type { Destination } from '../../../src/transport/destination.ts'
import {
  endReason,
  isLoggedIn,
  opensshError,
  refusedChannel,
} from '../../../src/transport/openssh/opensshErrors.ts'

const to: Destination = {
  label: 'db1',
  jump: false,
  address: '10.0.0.1',
  port: 2222,
  user: 'ops',
  keys: { first: [], files: [], agent: 'all', required: false },
  check: { files: [], names: ['10.0.0.1', 'db1'] },
  timeout: 8000,
}
const failed = (log: string, code: number | 'still runs' = 255) =>
  opensshError(to, { log, said: '', code: code === 'still runs' ? undefined : code })

describe('a failed login by the system’s ssh', () => {
  it.each([
    ['ssh: Could not resolve hostname db1: Name or service not known', 'name-not-found'],
    ['ssh: connect to host 10.0.0.1 port 2222: Connection refused', 'connection-refused'],
    ['kex_exchange_identification: Connection closed by remote host', 'no-ssh-banner'],
    ['ssh: connect to host 10.0.0.1 port 2222: No route to host', 'connection-timeout'],
    ['Host key verification failed.', 'host-key-unknown'],
    ['Unable to negotiate with 10.0.0.1 port 2222: no matching cipher found.', 'no-login-method'],
    ['/home/ops/.ssh/config: line 3: Bad configuration option: hots', 'ssh-config'],
    ['Connection reset by 10.0.0.1 port 2222', 'connection-lost'],
    ['ssh_dispatch_run_fatal: Connection to 10.0.0.1 port 2222: incorrect signature', 'connection-lost'],
    ['banner exchange: Connection to 10.0.0.1 port 2222: could not read protocol version', 'no-ssh-banner'],
    ['ops@10.0.0.1: Received disconnect: Too many authentication failures', 'login-refused'],
  ])('is told in words, with the line of ssh beneath: %s', (line, code) => {
    const error = failed(`${line}\r\n`)
    expect(error).toMatchObject({ host: 'db1', code })
    expect(error.message.split('\n')[1]).toBe(`ssh: ${line.replace(/^ssh: /, '')}`)
    expect(error.message.split('\n')[0]).not.toMatch(/WHERE|PLACE|HOST|USER|\$1/)
  })

  it('names the ways that the host accepts', () => {
    const kerberos = failed('ops@10.0.0.1: Permission denied (publickey,gssapi-with-mic).')
    expect(kerberos.message).toMatch(/^db1 refused the login of ops; it accepts: publickey,gssapi-with-mic\n/)
    expect(kerberos.fix).toContain('Run kinit')
    expect(failed('ops@10.0.0.1: Permission denied (publickey).').fix).not.toContain('kinit')
  })

  it('says why ssh offered no key, and that one method was not enough', () => {
    const denied = 'ops@10.0.0.1: Permission denied (publickey).'
    const log = `Load key "/keys/one": bad permissions\n${denied}`
    expect(failed(log).message.split('\n').slice(1)).toEqual([
      'ssh: Load key "/keys/one": bad permissions',
      `ssh: ${denied}`,
    ])
    const partial =
      'Authenticated using "publickey" with partial success.\nops@db1: Permission denied (password).'
    expect(failed(partial).message).toMatch(
      /^db1 accepted the first login .* of ops, but also requires password\n/,
    )
  })

  it('shows the line that the words are from', () => {
    const log =
      'Received disconnect from 10.0.0.1: 2: Too many authentication failures\nDisconnected from 10.0.0.1'
    expect(failed(log).message).toMatch(/\nssh: Received disconnect .* Too many authentication failures$/)
  })

  it('names the host key where later lines say less', () => {
    const log =
      'No ED25519 host key is known for db1.\nHost key verification failed.\nConnection closed by 10.0.0.1'
    expect(failed(log).code).toBe('host-key-unknown')
  })

  it('that did not end in time says how long it took, and that no program was found says so', () => {
    expect(failed('', 'still runs').message).toBe('ssh did not log in to db1 as ops within 8 s')
    expect(failed('', 127).message).toMatch(/^this machine has no ssh program/)
  })

  it('takes words of a host neither for placeholders nor for escapes', () => {
    const { message } = failed('ops@10.0.0.1: Permission denied (USER \u001b[2J$1).')
    expect(message).toContain('it accepts: USER ')
    expect(message).not.toContain('\u001b')
  })

  it('is not explained by lines that say how the connection went', () => {
    expect(
      failed('Authenticated to db1 ([10.0.0.1]:2222).\nTransferred: sent 1, received 2 bytes').message,
    ).toBe('ssh could not log in to db1 as ops')
  })
})

describe('the log of the system’s ssh', () => {
  it('tells a login from an attempt', () => {
    expect(isLoggedIn('Authenticated to db1 ([10.0.0.1]:2222) using "publickey".\n')).toBe(true)
    expect(isLoggedIn('The host said: Authenticated to db1\n')).toBe(false)
  })

  it('has the reason of the last channel that was refused', () => {
    const log =
      'channel 2: open failed: connect failed: first\nchannel 3: open failed: administratively prohibited: second\n'
    expect(refusedChannel(log)).toBe('administratively prohibited: second')
    expect(refusedChannel('')).toBeUndefined()
  })

  it('says why a connection ended', () => {
    expect(endReason({ code: 255, log: 'Timeout, server db1 not responding.' })).toBe('it no longer answers')
    expect(endReason({ code: null, log: '' })).toBe('it was closed')
    expect(endReason({ code: 1, log: '' })).toBe('the shell there ended')
    expect(endReason({ code: 255, log: '' })).toBe('the host closed it')
    expect(endReason({ code: 255, log: 'Transferred: 1\nclient_loop: send disconnect: Broken pipe' })).toBe(
      'ssh: client_loop: send disconnect: Broken pipe',
    )
  })
})
