import { describe, expect, it } from 'vitest'
import type { ReferencePlace, SecretReference } from '../../src/secrets/reference.ts'
import { resolveReference } from '../../src/secrets/resolveReference.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { SecretError } from '../../src/secrets/secretError.ts'
import type { FileReading, SecretSources } from '../../src/secrets/sources.ts'

const sources = (given: Partial<SecretSources>): SecretSources => ({
  policy: 'all',
  known: [],
  env: {},
  readFile: async () => ({ ok: false, problem: 'missing', reason: 'does not exist' }),
  runProgram: () => Promise.reject(new Error('no program is expected')),
  ...given,
})

const read = (reference: SecretReference, given: Partial<SecretSources> = {}): Promise<string> =>
  resolveReference(reference, sources(given)).then((secret) => secret.reveal())

const failure = async (
  reference: SecretReference,
  given: Partial<SecretSources> = {},
): Promise<SecretError> => {
  const error = await resolveReference(reference, sources(given)).catch((caught: unknown) => caught)
  if (!(error instanceof SecretError)) throw new Error('expected a SecretError')
  expect(error.fix).not.toBe('')
  return error
}

const problem = async (reference: SecretReference, given: Partial<SecretSources> = {}): Promise<string> => {
  const { code, message } = await failure(reference, given)
  return `${code}: ${message}`
}

const content = (bytes: string | Buffer) => async (): Promise<FileReading> => ({
  ok: true,
  content: Buffer.from(bytes),
})
const printing =
  (stdout: string, stderr = '', failure?: string): SecretSources['runProgram'] =>
  async () => ({ stdout: new Secret(stdout), stderr, ...(failure === undefined ? {} : { failure }) })

const at: ReferencePlace = { option: 'monitor-password', place: 'muster.yaml:4:21', directory: '/etc/muster' }
const env: SecretReference = { kind: 'env', name: 'A', at }
const file: SecretReference = { kind: 'file', path: '/etc/muster/s/pw', written: 's/pw', at }
const exec: SecretReference = { kind: 'exec', command: ['pass', 'show'], at }

describe('a secret', () => {
  it('is read as a literal or from the environment, a file or a program', async () => {
    expect(await read({ kind: 'literal', value: new Secret('x\n') })).toBe('x\n')
    expect(await read(env, { env: { A: ' x\n' } })).toBe(' x\n')
    expect(await read(file, { readFile: content('é "x"\r\n') })).toBe('é "x"')
    const runProgram: SecretSources['runProgram'] = async (command, directory) => ({
      stdout: new Secret(`${command.join('+')} in ${directory}\n\n`),
      stderr: 'unlocked',
    })
    expect(await read(exec, { runProgram })).toBe('pass+show in /etc/muster\n')
  })

  it('that is missing is reported with its option, position, reason and fix', async () => {
    expect(await problem(env)).toBe(
      'variable-missing: monitor-password (muster.yaml:4:21) cannot be read: the environment variable A is not set.',
    )
    expect(await problem(file)).toBe(
      'file-missing: monitor-password (muster.yaml:4:21) cannot be read: the file s/pw does not exist.',
    )
    const readFile = async () =>
      ({ ok: false, problem: 'unreadable', reason: 'cannot be read: permission denied' }) as const
    expect(await problem(file, { readFile })).toMatch(
      /^file-unreadable: .* the file s\/pw cannot be read: permission denied\.$/,
    )
    expect(await problem({ kind: 'env', name: 'A' })).toMatch(/: A secret cannot be read: the environment/)
  })

  it('that is empty or not text is an error', async () => {
    expect(await problem(env, { env: { A: '' } })).toMatch(/^secret-empty: .* variable A is empty\.$/)
    expect(await problem(file, { readFile: content('\n') })).toMatch(
      /^secret-empty: .* file s\/pw is empty\.$/,
    )
    expect(await problem(exec, { runProgram: printing('\n') })).toMatch(
      /^secret-empty: .* program pass printed nothing\.$/,
    )
    expect(await problem(file, { readFile: content(Buffer.from([0x68, 0xff])) })).toMatch(
      /^file-not-text: .* the file s\/pw is not UTF-8 text\.$/,
    )
  })
})

describe('a secret program that fails', () => {
  const said = async (stdout: string, stderr: string, known: readonly Secret[] = []): Promise<string> =>
    (await failure(exec, { runProgram: printing(stdout, stderr, 'ended with code 3'), known })).reason

  it('is reported with the end of its standard error', async () => {
    expect(await said('', 'vault is sealed\n')).toBe(
      'the program pass ended with code 3 and said: vault is sealed',
    )
    expect(await said('', '')).toBe('the program pass ended with code 3')
    expect(await said('', 'a\nb\r\n\n\u001b[31mc\u001b[0m\u0007\nd\ne\nf\n')).toMatch(
      /: b \/ c \/ d \/ e \/ f$/,
    )
    expect((await said('', 'x'.repeat(5000))).length).toBeLessThan(1100)
  })

  it('is reported without its output and without any other secret', async () => {
    const sentinel = `Zq7'"\\$#%:@ é`
    expect(await said(`${sentinel}\n`, `+ echo ${sentinel}\nno ${sentinel}!\n`)).toMatch(
      /: \+ echo \[redacted\] \/ no \[redacted\]!$/,
    )
    expect(await said(`one\n  ${sentinel}\n`, `got ${sentinel}`)).toMatch(/: got \[redacted\]$/)
    expect(await said('', `got ${sentinel}`, [new Secret(sentinel)])).toMatch(/: got \[redacted\]$/)
    expect(await said('hunter2', 'so')).toBe('the program pass ended with code 3 and said: so')
  })
})

describe('a secret under the safe policy', () => {
  const safe = (given: Partial<SecretSources> = {}): Partial<SecretSources> => ({ policy: 'safe', ...given })
  const inside = (path: string): SecretReference => ({ kind: 'file', path, written: '../x', at })

  it('runs no program and names --resolve-secrets', async () => {
    const error = await failure(exec, safe())
    expect(error.code).toBe('secret-withheld')
    expect(error.reason).toBe('it comes from a program, and programs are not run here')
    expect(error.fix).toContain('--resolve-secrets')
  })

  it.each(['/etc/passwd', '/etc/muster2/x', '/etc/muster', '/etc/x', '/'])(
    'has %s not even looked at, which lies outside of its folder',
    async (path) => {
      const readFile = () => Promise.reject(new Error('nothing is expected to be read'))
      expect(await problem(inside(path), safe({ readFile }))).toMatch(
        /^secret-withheld: .* \.\.\/x is outside the folder of the YAML file\.$/,
      )
    },
  )

  it('reads secrets only below its folder, also through links, and from the environment', async () => {
    const asked: unknown[] = []
    const readFile: SecretSources['readFile'] = async (...words) => {
      asked.push(words)
      return { ok: true, content: Buffer.from('x') }
    }
    expect(await read(file, safe({ readFile }))).toBe('x')
    expect(await read(file, { readFile })).toBe('x')
    expect(asked).toEqual([
      ['/etc/muster/s/pw', '/etc/muster'],
      ['/etc/muster/s/pw', undefined],
    ])
    expect(await read(inside('/etc/muster/..x'), safe({ readFile }))).toBe('x')
    expect(await read(env, safe({ env: { A: 'y' } }))).toBe('y')
  })

  it('does not restrict secrets of the command line', async () => {
    const { directory: _, ...place } = at
    const named: SecretReference = { kind: 'file', path: '/run/pw', written: '/run/pw', at: place }
    expect(await read(named, safe({ readFile: content('x') }))).toBe('x')
  })
})
