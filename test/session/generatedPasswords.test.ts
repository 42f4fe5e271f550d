import { describe, expect, it } from 'vitest'
import { Secret } from '../../src/secrets/secret.ts'
import { reportGeneratedPasswords } from '../../src/session/generatedPasswords.ts'
import type { Session } from '../../src/session/session.ts'
import { commandContext } from '../config/commandContext.ts'

const made = [{ user: 'admin', password: new Secret('hK3v-example-9Qw') }]

/** Reports a generated password in a session; returns all that was printed. */
function reported(of: Parameters<typeof commandContext>[0] & { readonly json?: boolean }): string {
  const { json = false, ...options } = of
  const { context, out, err } = commandContext(options)
  const messages: string[] = []
  const session = {
    ...{ context, json, config: { cluster: 'alpha', directory: '/home/ops' } },
    renderer: { emit: (event: { readonly message?: string }) => messages.push(JSON.stringify(event)) },
  } as unknown as Session
  reportGeneratedPasswords(session, made)
  return [out(), err(), ...messages].join('\n')
}

describe('a password that muster generated', () => {
  it('is printed once, with the file that has it', () => {
    expect(reported({})).toContain('user admin  password hK3v-example-9Qw')
    expect(reported({})).toContain('secrets.json')
  })

  it.each([
    ['of a CI job', { env: { CI: 'true' } }],
    ['of --quiet', { verbosity: 'quiet' as const }],
    ['for programs', { json: true }],
  ])('is in no log %s, which says where it is stored', (_where, options) => {
    expect(reported(options)).not.toContain('hK3v')
    expect(reported(options)).toContain('the password of admin was generated; it is stored in')
  })
})
