import { describe, expect, it } from 'vitest'
import { literalSecrets } from '../../src/config/locatedSecret.ts'
import { secretsOf } from '../../src/config/secretOptions.ts'
import { described, settingOf } from './describe/described.ts'
import { good, loadText, shown } from './loadText.ts'

const literal = 'Tr0ub4dor-and-3'

/** A good file with these lines under `ssh`, of the whole file and of its host. */
const withSsh = (lines: string, host?: string): string =>
  good
    .replace('defaults:', `ssh:\n  ${lines}\ndefaults:`)
    .replace(/^ {2}db1: \{/m, host === undefined ? '  db1: {' : `  db1: { ssh: { ${host} }, `)

describe('become-password', () => {
  it('is a reference that knows its option and folder', () => {
    const { config, diagnostics } = loadText(withSsh('become-password: !env SUDO_PASS'))
    expect(diagnostics).toEqual([])
    expect(config?.hosts[0]?.ssh.becomePassword).toMatchObject({
      kind: 'env',
      name: 'SUDO_PASS',
      at: { option: 'become-password', directory: '/etc/muster' },
    })
  })

  it('is never shown, whether set for all hosts or for one', () => {
    for (const text of [
      withSsh(`become-password: ${literal}`),
      withSsh('port: 22', `become-password: ${literal}`),
    ]) {
      const result = loadText(text)
      expect(result.config?.hosts[0]?.ssh.becomePassword).toMatchObject({ kind: 'literal' })
      expect(result.cluster?.drafts.flatMap(literalSecrets)).toHaveLength(1)
      const wrong = text.replace('become-password:', 'become-passwort:')
      expect(`${shown(result)}${shown(loadText(wrong))}`).not.toContain(literal)
      const value = settingOf(described(text), { host: 'db1', group: 'ssh', name: 'become-password' })
      expect(value?.value).toBe('[redacted]')
    }
  })

  it('is a secret only of hosts that are reached over SSH', () => {
    const text = withSsh('become-password: !env SUDO_PASS')
    const names = (of: string) =>
      loadText(of).cluster?.hosts.flatMap((host) =>
        secretsOf(host).flatMap(({ resolved }) => resolved.given?.spelling ?? []),
      )
    expect(names(text)).toContain('become-password')
    expect(names(text.replace(/^ {2}db1: \{/m, '  db1: { connection: local, '))).not.toContain(
      'become-password',
    )
  })
})
