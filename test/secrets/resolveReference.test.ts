import { describe, expect, it } from 'vitest'
import type { SecretReference } from '../../src/secrets/reference.ts'
import { resolveReference, type SecretSources } from '../../src/secrets/resolveReference.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { SecretError } from '../../src/secrets/secretError.ts'

const failing = (code: string) => () => Promise.reject(Object.assign(new Error(`${code}: failed`), { code }))

const sources = (given: Partial<SecretSources>): SecretSources => ({
  env: {},
  readFile: failing('ENOENT'),
  runCommand: failing('ENOENT'),
  ...given,
})

const read = (reference: SecretReference, given: Partial<SecretSources> = {}): Promise<string> =>
  resolveReference(reference, sources(given)).then((secret) => secret.reveal())

const problem = async (reference: SecretReference, given: Partial<SecretSources> = {}): Promise<string> => {
  const error = await resolveReference(reference, sources(given)).catch((caught: unknown) => caught)
  if (!(error instanceof SecretError)) throw new Error('expected a SecretError')
  expect(error.fix).not.toBe('')
  return `${error.code}: ${error.message}`
}

const file: SecretReference = { kind: 'file', path: '/s/pw' }
const exec: SecretReference = { kind: 'exec', command: ['pass', 'show'] }

describe('a secret', () => {
  it('is taken as written, from the environment, a file or a program', async () => {
    expect(await read({ kind: 'literal', value: new Secret('x\n') })).toBe('x\n')
    expect(await read({ kind: 'env', name: 'A' }, { env: { A: ' x\n' } })).toBe(' x\n')
    expect(await read(file, { readFile: async () => Buffer.from('é "x"\r\n') })).toBe('é "x"')
    const runCommand = async (command: readonly string[]) => ({
      code: 0,
      stdout: `${command.join('+')}\n\n`,
      stderr: '',
    })
    expect(await read(exec, { runCommand })).toBe('pass+show\n')
  })

  it('that is not there says so and how to bring it', async () => {
    expect(await problem({ kind: 'env', name: 'A' })).toBe(
      'variable-missing: The environment variable A is not set.',
    )
    expect(await problem(file)).toBe('file-missing: There is no secret file /s/pw.')
    expect(await problem(file, { readFile: failing('EACCES') })).toMatch(
      /^file-unreadable: .*\/s\/pw cannot be read/,
    )
    expect(await problem(exec)).toMatch(/^program-not-run: The program pass/)
  })

  it('that is empty is an error', async () => {
    const empty = async () => ({ code: 0, stdout: '\n', stderr: '' })
    expect(await problem({ kind: 'env', name: 'A' }, { env: { A: '' } })).toMatch(/^secret-empty/)
    expect(await problem(file, { readFile: async () => '\n' })).toMatch(/^secret-empty/)
    expect(await problem(exec, { runCommand: empty })).toMatch(/^secret-empty/)
  })

  it('is in no error, whatever the program did', async () => {
    const runCommand = async () => ({ code: 3, stdout: 'hunter2', stderr: 'vault is sealed\n' })
    const message = await problem(exec, { runCommand })
    expect(message).toBe(
      'program-failed: The program pass, which gives a secret, ended with code 3 and said: vault is sealed',
    )
    expect(await problem(file, { readFile: async () => Buffer.from([0x68, 0xff]) })).toBe(
      'file-not-text: The secret file /s/pw is not UTF-8 text.',
    )
  })
})
