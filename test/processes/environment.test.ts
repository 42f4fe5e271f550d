import { describe, expect, it } from 'vitest'
import { npmEnvironment, programEnvironment, shellEnvironment } from '../../src/processes/environment.ts'

const operator = {
  PATH: '/bin',
  HOME: '/home/op',
  LC_CTYPE: 'de_DE.UTF-8',
  ADMIN_PASS: 'hunter2',
  AWS_SECRET_ACCESS_KEY: 'k',
  NODE_OPTIONS: '--inspect',
  LD_PRELOAD: '/tmp/x.so',
  npm_config_registry: 'https://registry.example',
  https_proxy: 'http://proxy:3128',
  SSH_AUTH_SOCK: '/tmp/agent',
  EMPTY: undefined,
}

describe('the environment of a child process', () => {
  it('has the variables for programs and the network, and no secret', () => {
    expect(programEnvironment(operator)).toEqual({
      PATH: '/bin',
      HOME: '/home/op',
      LC_CTYPE: 'de_DE.UTF-8',
      https_proxy: 'http://proxy:3128',
      SSH_AUTH_SOCK: '/tmp/agent',
    })
  })

  it('has the npm configuration, which may contain a token, only for npm', () => {
    expect(npmEnvironment(operator)).toEqual({ npm_config_registry: 'https://registry.example' })
  })

  it('has even fewer variables for a shell that acts as a host', () => {
    expect(shellEnvironment(operator)).toEqual({ PATH: '/bin', HOME: '/home/op', LC_CTYPE: 'de_DE.UTF-8' })
  })
})
