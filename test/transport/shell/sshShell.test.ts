import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Secret } from '../../../src/secrets/secret.ts'
import { enterSudoPassword, sudoPasswordProblem } from '../../../src/transport/shell/sshShell.ts'
import { connectSsh } from '../../../src/transport/ssh.ts'
import type { Transport } from '../../../src/transport/transport.ts'
import { rawResult } from '../../support/rawResult.ts'
import { type SshServer, startSshServer } from '../../support/sshServer.ts'
import { failure } from '../../support/transportFailure.ts'

const password = `p'"\\$#%:@ é`

let folder: string
let server: SshServer | undefined
let transport: Transport | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-sudo-'))
  await mkdir(join(folder, 'bin'))
  await writeFile(join(folder, 'right'), password)
})

afterEach(async () => {
  await transport?.close()
  await server?.close()
  transport = undefined
  await rm(folder, { recursive: true, force: true })
})

/**
 * A sudo that behaves as sudo(8) says of -S, -n and -p: asks on standard error, reads one line, at most three
 * times, and starts the command with what is left of the input. It writes down how it was called.
 */
const sudo = (changes: Readonly<Record<string, string>> = {}): string => {
  const parts = {
    before: '',
    lecture: 'echo "We trust you have received the usual lecture." >&2; echo >&2',
    wrong: 'echo "Sorry, try again." >&2',
    gone: 'echo "sudo: 3 incorrect password attempts" >&2; exit 1',
    run: 'AS=root exec env AS=root "$@"',
    ...changes,
  }
  return `#!/bin/sh
echo "$LC_ALL $1 $2 ${'$'}{3:+PROMPT}" >> ${folder}/calls
${parts.before}
[ "$1" = -n ] && { echo "sudo: a password is required" >&2; exit 1; }
prompt=$3
shift 3
${parts.lecture}
for try in 1 2 3; do
  printf %s "$prompt" >&2
  IFS= read -r line || { echo "sudo: no password was provided" >&2; exit 1; }
  echo "$try" >> ${folder}/tries
  if [ "$line" = "$(cat ${folder}/right)" ]; then ${parts.run}; fi
  ${parts.wrong}
done
${parts.gone}
`
}

async function become(text: string, given?: string): Promise<Transport> {
  await writeFile(join(folder, 'bin', 'sudo'), text, { mode: 0o755 })
  server = await startSshServer({ env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, HOME: folder } })
  transport = await connectSsh({
    host: 'db1',
    address: server.address,
    ssh: {
      port: server.port,
      become: true,
      timeout: 60_000,
      identity: server.clientKeyPath,
      knownHosts: server.knownHostsPath,
    },
    env: { home: folder, user: 'ops' },
    readFile: (path) => readFile(path),
    ...(given === undefined ? {} : { becomePassword: new Secret(given) }),
  })
  return transport
}

const written = (name: string): Promise<string> => readFile(join(folder, name), 'utf8').catch(() => '')

describe('sudo with a password', () => {
  it('gets it on standard input, and the started program never reads it', async () => {
    const shell = await become(sudo(), password)
    expect(rawResult(await shell.run('echo "$AS"; cat', { stdin: 'data' }))).toEqual({
      code: 0,
      stdout: 'root\ndata',
      stderr: '',
    })
    const { stdout } = await shell.run(
      `tr '\\0' '\\n' </proc/$PPID/environ; set; cat /proc/*/cmdline 2>/dev/null`,
    )
    expect(stdout).not.toContain(password)
    expect(await written('calls')).toBe('C -S -p PROMPT\n')
    expect(await written('tries')).toBe('1\n')
  })

  it('is not sent the password if it does not ask for one', async () => {
    const shell = await become(sudo({ before: `shift 3; AS=root exec env AS=root "$@"` }), password)
    expect((await shell.run('echo "$AS"; cat', { stdin: 'data' })).stdout.raw()).toBe('root\ndata')
    expect((await shell.run('echo still here')).stdout.raw()).toBe('still here\n')
  })

  it('is sent a wrong password once, and reports it', async () => {
    const error = await failure(become(sudo(), 'wrong'))
    expect(error.code).toBe('sudo-refused')
    expect(error.message).toMatch(/^sudo on db1 refused the password of ops: .*Sorry, try again\.$/)
    expect(error.message).toContain('lecture')
    expect(error.fix).toContain('become-password')
    expect(await written('tries')).toBe('1\n')
    expect(server?.connections()).toBe(1)
  })

  it('that allows one attempt reports the wrong password', async () => {
    const one = sudo({ wrong: 'echo "sudo: 1 incorrect password attempt" >&2; exit 1' })
    const error = await failure(become(one, 'wrong'))
    expect(error.message).toMatch(/^sudo on db1 refused the password of ops: .*1 incorrect password attempt$/)
  })

  it.each([
    [
      'run',
      'echo "ops is not in the sudoers file.  This incident will be reported." >&2; exit 1',
      'sudo on db1 does not let ops become root: ',
    ],
    [
      'run',
      `echo "Sorry, user ops is not allowed to execute '/usr/bin/sh -c $*' as root on db1." >&2; exit 1`,
      'sudo on db1 does not let ops become root: ',
    ],
    [
      'before',
      'echo "sudo: sorry, you must have a tty to run sudo" >&2; exit 1',
      'sudo on db1 requires a terminal (requiretty), ',
    ],
  ])('reports its other output (%s: %s)', async (part, words, message) => {
    const error = await failure(become(sudo({ [part]: words }), password))
    expect(error.code).toBe('sudo-refused')
    expect(error.message.startsWith(message)).toBe(true)
    expect(error.message).not.toContain('iflag=fullblock')
    expect(error.message.length).toBeLessThan(400)
    expect(`${error.message} ${error.fix}`).not.toContain(password)
  })

  it('does not show a password that the host repeats', async () => {
    const text = sudo({ run: `echo "you typed $line" >&2; exit 1` })
    const error = await failure(become(text, password))
    expect(error.message).toContain('you typed [redacted]')
  })

  it('reports that a password is required if none is set', async () => {
    const error = await failure(become(sudo()))
    expect(error.message).toBe('sudo on db1 requires a password for ops: sudo: a password is required')
    expect(error.fix).toContain('become-password')
    expect(error.fix).toContain('--ask-become-pass')
    expect(error.fix).toContain('NOPASSWD')
    expect(await written('calls')).toMatch(/^C -n /)
  })

  it('is rejected before connecting if the password is not one line', async () => {
    for (const bad of ['two\nlines', 'carriage\rreturn', 'x'.repeat(256), '']) {
      const error = await failure(become(sudo(), bad))
      expect(error.code).toBe('sudo-refused')
      expect(error.message).toMatch(/^the password of ops for sudo on db1 (has more than|is longer|is empty)/)
      expect(server?.connections()).toBe(0)
      await server?.close()
    }
    expect(sudoPasswordProblem(new Secret('é'.repeat(127)))).toBeUndefined()
  })
})

describe('the password prompt of sudo', () => {
  it('is recognized in pieces and among other output, and answered once', () => {
    const [stderr, stdin] = [new PassThrough(), new PassThrough()]
    let refused = 0
    const prompt = '0123456789abcdef'
    const stop = enterSudoPassword({
      stderr,
      stdin,
      prompt,
      password: new Secret('pw'),
      onRefused: () => (refused += 1),
    })
    const say = (text: string): boolean => stderr.emit('data', Buffer.from(text))
    say('Lecture 0123456789')
    expect(stdin.read()).toBeNull()
    say('abcdef')
    expect(stdin.read()?.toString()).toBe('pw\n')
    say('Sorry, try again.\n0123')
    expect(refused).toBe(0)
    say(`456789abcdef${prompt}`)
    expect([refused, stdin.read()]).toEqual([1, null])
    stop()
    expect(stderr.listenerCount('data')).toBe(0)
  })
})
