import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask, confirm } from '../../src/cli/ask.ts'
import { Interrupted } from '../../src/cli/interrupted.ts'
import { emptyLine, type HiddenKey, promptHidden, typeCharacter } from '../../src/cli/promptHidden.ts'
import { type PasswordRequest, readPassword } from '../../src/cli/readPassword.ts'
import { UsageError } from '../../src/cli/usageError.ts'

const sentinel = '\'"\\$#%:@ é'
const options = { file: '--password-file', stdin: '--password-stdin', variable: 'PASS' }

/** A place to read from: a terminal that tells of its raw mode, or a pipe. */
function world(facts: { terminal: boolean; env?: Record<string, string>; cwd?: string }) {
  const raw: boolean[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY: facts.terminal,
    setRawMode: (on: boolean) => raw.push(on),
  })
  const abort = new AbortController()
  const written: string[] = []
  const stderr = { write: (text: string) => written.push(text) }
  const context = { stdin, stderr, env: facts.env ?? {}, signal: abort.signal, cwd: facts.cwd ?? '/' }
  return { context, stdin, raw, abort, shown: () => written.join('') }
}

const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => 'resolved',
    (error: unknown) => (error instanceof UsageError ? `${error.message} ${error.fix}` : error),
  )

const request = (
  context: PasswordRequest['context'],
  more: Partial<PasswordRequest> = {},
): PasswordRequest => ({ context, what: 'the password of admin', options, ...more })

describe('typeCharacter', () => {
  const type = (keys: string): Pick<HiddenKey, 'text' | 'event'> => {
    let line: HiddenKey = { ...emptyLine, event: 'typing' }
    for (const key of keys) line = typeCharacter(line, key)
    return { text: line.text, event: line.event }
  }

  it.each([
    ['abc\r', 'abc', 'enter'],
    ['abc\n', 'abc', 'enter'],
    ['ab\u007fc\b', 'a', 'typing'],
    ['\u007fa', 'a', 'typing'],
    ['ae\u0301\u007f', 'a', 'typing'],
    ['a👩‍👧\u007f', 'a', 'typing'],
    ['abc\u0015d', 'd', 'typing'],
    ['a\u001b[Db\u001bOHc\u001b[1;5Dd', 'abcd', 'typing'],
    ['\u001b[200~abc\u001b[201~\r', 'abc', 'enter'],
    ['a\u0000\u001a\tb', 'ab', 'typing'],
    ['abc\u0003', '', 'interrupt'],
    ['ab\u001b[\u0003', '', 'interrupt'],
    ['\u0004', '', 'end'],
    ['a\u0004', 'a', 'typing'],
  ])('reads the keys %j as %j, event %s', (keys, text, event) => {
    expect(type(keys)).toEqual({ text, event })
  })
})

describe('promptHidden', () => {
  it('shows nothing of what is typed, and restores the terminal', async () => {
    const { context, stdin, raw, shown } = world({ terminal: true })
    const bytes = Buffer.from(`${sentinel}\r`)
    const answer = promptHidden({ context, question: 'Password' })
    // Byte by byte: é comes in two pieces.
    for (const byte of bytes) stdin.write(Buffer.from([byte]))
    expect((await answer)?.reveal()).toBe(sentinel)
    expect(shown()).toBe('Password: \n')
    expect(raw).toEqual([true, false])
  })

  it('leaves the input behind the line to the next question', async () => {
    const { context, stdin } = world({ terminal: true })
    stdin.write('one\rtwo\nthree\r')
    expect((await promptHidden({ context, question: 'a' }))?.reveal()).toBe('one')
    expect(await ask(context, 'b')).toBe('two')
    expect((await promptHidden({ context, question: 'c' }))?.reveal()).toBe('three')
  })

  it('restores the terminal after Ctrl-C, Ctrl-D, the end of the input and a signal', async () => {
    for (const [keys, expected] of [
      ['ab\u0003', new Interrupted()],
      ['\u0004', 'resolved'],
    ] as const) {
      const { context, stdin, raw } = world({ terminal: true })
      stdin.write(keys)
      expect(await outcome(promptHidden({ context, question: 'x' }))).toEqual(expected)
      expect(raw).toEqual([true, false])
    }
    const ended = world({ terminal: true })
    ended.stdin.end('half')
    expect(await promptHidden({ context: ended.context, question: 'x' })).toBeUndefined()
    const stopped = world({ terminal: true })
    const waiting = outcome(promptHidden({ context: stopped.context, question: 'x' }))
    stopped.abort.abort()
    expect(await waiting).toEqual(new Interrupted())
    expect(stopped.raw).toEqual([true, false])
    expect(await outcome(promptHidden({ context: stopped.context, question: 'x' }))).toEqual(
      new Interrupted(),
    )
  })
})

describe('confirm', () => {
  it.each([
    ['yes\n', true],
    ['Y\r\n', true],
    ['no\n', false],
    ['\n', false],
    ['yesterday\n', false],
    ['', false],
  ])('reads the answer %j as %s', async (typed, agreed) => {
    const { context, stdin, shown } = world({ terminal: true })
    stdin.end(typed)
    expect(await confirm(context, 'Go on?')).toBe(agreed)
    expect(shown()).toBe('Go on? [yes/no] ')
  })
})

describe('readPassword', () => {
  let folder = ''

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'password-'))
  })

  afterEach(() => rm(folder, { recursive: true }))

  const file = async (content: string | Buffer, mode = 0o600): Promise<string> => {
    await writeFile(join(folder, 'pass'), content)
    await chmod(join(folder, 'pass'), mode)
    return 'pass'
  }

  it.each([[sentinel], [`${sentinel}\n`], [`${sentinel}\r\n`]])('reads a file with %j', async (content) => {
    const { context, shown } = world({ terminal: false, cwd: folder })
    const secret = await readPassword(request(context, { file: await file(content) }))
    expect(secret.reveal()).toBe(sentinel)
    expect(shown()).toBe('')
  })

  it('warns about a file that others can read', async () => {
    const { context, shown } = world({ terminal: false, cwd: folder })
    await readPassword(request(context, { file: await file(sentinel, 0o644) }))
    expect(shown()).toBe(
      `warning: ${folder}/pass contains the password of admin, and users other than its owner can read it\n  fix: chmod 600 ${folder}/pass\n`,
    )
  })

  it('reports what is wrong with a file without quoting it', async () => {
    const { context } = world({ terminal: false, cwd: folder })
    const from = async (content: string | Buffer) =>
      outcome(readPassword(request(context, { file: await file(content) })))
    expect(await from('')).toMatch(/^The password of admin is empty in .*\/pass\./)
    expect(await from('\n')).toMatch(/^The password of admin is empty/)
    expect(await from('one\ntwo\n')).toMatch(/^The password of admin has more than one line in/)
    expect(await from(Buffer.from([0xff, 0xfe]))).toMatch(/cannot be read from .*: it is not UTF-8 text\./)
    expect(await outcome(readPassword(request(context, { file: '.' })))).toMatch(/: it is a folder\./)
    expect(await outcome(readPassword(request(context, { file: 'none' })))).toMatch(
      /: no such file or folder\./,
    )
  })

  it('reads a pipe that a shell made, without a warning', async () => {
    const { context, shown } = world({ terminal: false, cwd: folder })
    execFileSync('mkfifo', ['-m', '644', join(folder, 'pipe')])
    const [secret] = await Promise.all([
      readPassword(request(context, { file: 'pipe' })),
      writeFile(join(folder, 'pipe'), sentinel),
    ])
    expect(secret.reveal()).toBe(sentinel)
    expect(shown()).toBe('')
  })

  it('stops waiting for the writer of a pipe when the command is stopped', async () => {
    const controller = new AbortController()
    const context = { ...world({ terminal: false, cwd: folder }).context, signal: controller.signal }
    execFileSync('mkfifo', [join(folder, 'pipe')])
    const reading = readPassword(request(context, { file: 'pipe' }))
    controller.abort()
    await expect(reading).rejects.toBeInstanceOf(Interrupted)
  })

  it('refuses a device, which may have no end', async () => {
    const { context } = world({ terminal: false, cwd: folder })
    expect(await outcome(readPassword(request(context, { file: '/dev/zero' })))).toMatch(
      /^The password of admin cannot be read from \/dev\/zero: it is not a regular file or a pipe\./,
    )
  })

  it('reads standard input to its end, before the environment', async () => {
    const { context, stdin } = world({ terminal: false, env: { PASS: 'other' } })
    stdin.write(sentinel.slice(0, 4))
    stdin.end(`${sentinel.slice(4)}\n`)
    expect((await readPassword(request(context, { stdin: true }))).reveal()).toBe(sentinel)
  })

  it('rejects bytes that are not UTF-8, which would all become one character', async () => {
    const { context, stdin } = world({ terminal: false })
    stdin.end(Buffer.from([0x61, 0xe9]))
    const sent = await outcome(readPassword(request(context, { stdin: true })))
    expect(sent).toMatch(/^The password of admin is not UTF-8 text in standard input\. /)
    const inherited = world({ terminal: false, env: { PASS: 'a\ufffd' } }).context
    expect(await outcome(readPassword(request(inherited)))).toMatch(
      /is not UTF-8 text in the variable PASS\./,
    )
  })

  it('accepts one line from the environment, as from a file', async () => {
    const { context } = world({ terminal: false, env: { PASS: `${sentinel}\n` } })
    expect((await readPassword(request(context))).reveal()).toBe(sentinel)
    const two = world({ terminal: false, env: { PASS: 'a\nb' } }).context
    expect(await outcome(readPassword(request(two)))).toMatch(/has more than one line in the variable PASS\./)
  })

  it('reads the environment, before a prompt', async () => {
    const { context, shown } = world({ terminal: true, env: { PASS: sentinel } })
    expect((await readPassword(request(context))).reveal()).toBe(sentinel)
    expect(shown()).toBe('')
  })

  it('refuses standard input without an end, and stops reading it', async () => {
    let read = 0
    const stdin = new Readable({
      read(size) {
        read += size
        this.push(Buffer.alloc(size))
      },
    })
    const { context } = world({ terminal: false })
    const endless = { ...context, stdin }
    expect(await outcome(readPassword(request(endless, { stdin: true })))).toMatch(
      /^Standard input is larger than 8 MiB\. Redirect the right file/,
    )
    expect(read).toBeLessThan(9 * 1024 * 1024)
    expect(stdin.isPaused()).toBe(true)
  })

  it('prompts on a terminal, for --password-stdin too', async () => {
    const { context, stdin, raw } = world({ terminal: true, env: { PASS: 'other' } })
    stdin.write(`${sentinel}\r`)
    expect((await readPassword(request(context, { stdin: true }))).reveal()).toBe(sentinel)
    expect(raw).toEqual([true, false])
  })

  it('asks twice for a new password', async () => {
    const { context, stdin, shown } = world({ terminal: true })
    stdin.write(`${sentinel}\r${sentinel}\r`)
    expect((await readPassword(request(context, { twice: true }))).reveal()).toBe(sentinel)
    expect(shown()).toBe('The password of admin: \nThe password of admin, again: \n')
    stdin.write(`${sentinel}\rother\r`)
    expect(await outcome(readPassword(request(context, { twice: true })))).toBe(
      'The two entries for the password of admin differ. Run the command again.',
    )
    stdin.write('\r')
    expect(await outcome(readPassword(request(context, { twice: true })))).toMatch(/was not given/)
  })

  it('lists the sources if there is no password and no terminal', async () => {
    const { context } = world({ terminal: false, env: { PASS: '' } })
    expect(await outcome(readPassword(request(context)))).toBe(
      'There is no terminal to ask for the password of admin. ' +
        'Pass it with --password-file FILE, with --password-stdin, or in the environment variable PASS.',
    )
    expect(await outcome(readPassword(request(context, { file: 'x', stdin: true })))).toBe(
      '--password-file cannot be used with --password-stdin. Use one of them.',
    )
  })
})
