import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultSshConfig } from '../../src/session/defaultSshConfig.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

/** As Debian has it. */
const debian = `# comment

Include /etc/ssh/ssh_config.d/*.conf

Host *
#   ForwardAgent no
    SendEnv LANG LC_*
    HashKnownHosts yes
    GSSAPIAuthentication yes
`

/** A system with these files below its /etc/ssh, and a home. */
function system(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder()
  const home = join(folder, 'home')
  mkdirSync(join(home, '.ssh'), { recursive: true })
  mkdirSync(join(folder, 'ssh_config.d'))
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text.replaceAll('/etc/ssh', folder))
  }
  return { folder, home, world: { sshHome: home, system: join(folder, 'ssh_config') } }
}

const usual = (files: Readonly<Record<string, string>>): string | undefined => {
  const { home, world } = system(files)
  return defaultSshConfig(home, world)
}

describe('defaultSshConfig', () => {
  it('returns none if the files have no settings for hosts', () => {
    expect(usual({})).toBe('none')
    expect(usual({ ssh_config: debian })).toBe('none')
    const redhat = 'Match final all\n\tCiphers aes256-gcm@openssh.com\n\tForwardX11Trusted = yes\n'
    expect(usual({ ssh_config: debian, 'ssh_config.d/50-redhat.conf': redhat })).toBe('none')
  })

  it.each([
    ['an option that matters', { ssh_config: `${debian}    ProxyJump gate\n` }],
    ['a host of its own', { ssh_config: `Host db*\n  SendEnv LANG\n` }],
    ['a condition', { ssh_config: 'Match exec "true"\n  SendEnv LANG\n' }],
    ['an option in an included file', { ssh_config: debian, 'ssh_config.d/a.conf': 'User ops\n' }],
    ['a pattern that is not understood', { ssh_config: 'Include ~/x/*.conf\n' }],
    ['a line that is not understood', { ssh_config: '"Host" db1\n' }],
  ])('returns undefined for %s', (_, files) => {
    expect(usual(files)).toBeUndefined()
  })

  it('prefers the file in the home that HOME names', () => {
    const { home, world } = system({ ssh_config: debian, 'home/.ssh/config': '' })
    expect(defaultSshConfig(home, world)).toBeUndefined()
    const other = { ...world, sshHome: '/elsewhere' }
    expect(defaultSshConfig(home, other)).toBe(join(home, '.ssh', 'config'))
    const { home: empty, world: matters } = system({ ssh_config: 'User ops\n' })
    expect(defaultSshConfig(empty, { ...matters, sshHome: '/elsewhere' })).toBe('none')
  })
})
