import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { type InteractiveChild, startInteractive } from '../../../src/processes/run.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import {
  type FramedShell,
  loopArguments,
  openFramedShell,
  remoteCommand,
} from '../../../src/transport/shell/framedShell.ts'
import { heapInUse } from '../../support/heapInUse.ts'
import { rawResult } from '../../support/rawResult.ts'
import { failure } from '../../support/transportFailure.ts'

const has = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`])
    return true
  } catch {
    return false
  }
}

const nonce = 'deadbeef'
const children: InteractiveChild[] = []

async function open(command: readonly [string, ...string[]]): Promise<FramedShell> {
  const child = startInteractive({ command, env: process.env })
  children.push(child)
  child.stdin.on('error', () => undefined)
  const streams = {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    ended: child.exited.then(({ reason }) => reason),
    destroy: child.kill,
  }
  const opened = await openFramedShell({ host: 'db1', streams, nonce, timeout: 25_000, random: randomBytes })
  if (!opened.ready) throw new Error(opened.why)
  return opened.shell
}

/** A shell whose answers are held back until `sent` has seen this many scripts go out. */
async function openSlow(): Promise<{ shell: FramedShell; sent: (count: number) => Promise<void> }> {
  const child = startInteractive({ command: ['sh', ...loopArguments(nonce)], env: process.env })
  children.push(child)
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  let held: Buffer[] | undefined
  child.stdout.on('data', (chunk) => (held === undefined ? stdout.write(chunk) : held.push(chunk)))
  let came = ''
  const waiting: { readonly count: number; readonly go: () => void }[] = []
  stdin.on('data', (chunk) => {
    came += String(chunk)
    child.stdin.write(chunk)
    for (const { count, go } of waiting) if (came.split('\n#').length > count) go()
  })
  const gone = child.exited.then(({ reason }) => reason)
  const streams = { stdin, stdout, stderr: child.stderr, ended: gone, destroy: child.kill }
  const opened = await openFramedShell({ host: 'db1', streams, nonce, timeout: 25_000, random: randomBytes })
  if (!opened.ready) throw new Error(opened.why)
  held = []
  const sent = async (count: number): Promise<void> => {
    await new Promise<void>((go) => waiting.push({ count, go }))
    for (const chunk of held ?? []) stdout.write(chunk)
    held = undefined
  }
  return { shell: opened.shell, sent }
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill()
})

const shells: readonly (readonly [string, readonly [string, ...string[]]])[] = [
  ['dash', ['dash']],
  ['bash', ['bash']],
  ['bash', ['bash', '--posix']],
]

for (const [program, command] of shells) {
  describe.skipIf(!has(program))(`the framed shell over ${command.join(' ')} (needs ${program})`, () => {
    const start = (): Promise<FramedShell> => open([...command, ...loopArguments(nonce)])

    it('returns code and output exactly as written, one run after another', async () => {
      const shell = await start()
      const results = await Promise.all([
        shell.run('echo out; echo err >&2; exit 3'),
        shell.run('printf "no newline"; printf "e\n\n" >&2'),
        shell.run(''),
        shell.run('printf é; umask; echo "$LC_ALL"'),
      ])
      expect(results.map(rawResult)).toEqual([
        { code: 3, stdout: 'out\n', stderr: 'err\n' },
        { code: 0, stdout: 'no newline', stderr: 'e\n\n' },
        { code: 0, stdout: '', stderr: '' },
        { code: 0, stdout: 'é0077\nC\n', stderr: '' },
      ])
    })

    it('passes data byte for byte: binary, large, secret', async () => {
      const shell = await start()
      const bytes = randomBytes(3_000_000)
      const digest = createHash('sha256').update(bytes).digest('hex')
      const { stdout } = await shell.run('sha256sum', { stdin: bytes })
      expect(stdout.raw()).toBe(`${digest}  -\n`)
      expect((await shell.run('cat', { stdin: new Secret('\'"$é\n') })).stdout.raw()).toBe('\'"$é\n')
      expect((await shell.run('cat', { stdin: '' })).stdout.raw()).toBe('')
    })

    it('continues after scripts that exit, fail, have errors or read half of their input', async () => {
      const shell = await start()
      const stdin = randomBytes(2_000_000)
      expect((await shell.run('exit 7', { stdin })).code).toBe(7)
      expect((await shell.run('head -c 5 >/dev/null; echo half', { stdin })).stdout.raw()).toBe('half\n')
      expect((await shell.run('set -e; false; echo not reached', { stdin })).code).toBe(1)
      expect((await shell.run('exec </dev/null; cat; exec true', { stdin })).code).toBe(0)
      expect((await shell.run('if then')).code).not.toBe(0)
      expect((await shell.run('cd /; x=1; umask 022; set -f; trap "echo bye" EXIT')).stdout.raw()).toBe(
        'bye\n',
      )
      expect((await shell.run('echo "$PWD-$x-$(umask)"')).stdout.raw()).toBe(`${process.cwd()}--0077\n`)
    })

    it('runs a chain in order and skips the rest after a failure', async () => {
      const shell = await start()
      const chain = shell.chain()
      const sent = [
        shell.run('echo 1'),
        shell.run('cat; exit 3', { stdin: '2' }, chain),
        shell.run('echo 3', { stdin: randomBytes(100_000) }, chain),
        shell.run('echo 4', {}, chain),
        shell.run('echo 5'),
        shell.run('echo 6', {}, shell.chain()),
      ]
      const done = await Promise.allSettled(sent)
      const told = done.map((one) => (one.status === 'fulfilled' ? one.value.stdout.raw() : one.reason.code))
      expect(told).toEqual(['1\n', '2', 'not-run', 'not-run', '5\n', '6\n'])
      expect((await failure(shell.run('echo 7', {}, chain))).code).toBe('not-run')
    })

    it('never runs half a frame', async () => {
      const child = startInteractive({ command: [...command, ...loopArguments(nonce)], env: process.env })
      children.push(child)
      let output = ''
      child.stdout.on('data', (chunk) => {
        output += String(chunk)
      })
      child.stdin.end('id 40 0\necho half; echo of a script that is lon')
      expect((await child.exited).code).toBe(1)
      expect(output).toBe(`\n${nonce}\n`)
    })
  })
}

/** A shell that ends each answer with words in place of an exit code. */
const answersJunk = `printf "\\n${nonce}\\n"; printf "\\n${nonce}\\n" >&2; IFS=" " read -r i rest; printf "\\n%s nothing\\n" "$i"; printf "\\n%s\\n" "$i" >&2; cat >/dev/null`

describe('the framed shell', () => {
  const start = (): Promise<FramedShell> => open(['sh', ...loopArguments(nonce)])

  it('sends concurrent requests without waiting for responses', async () => {
    const { shell, sent } = await openSlow()
    const runs = [shell.run('echo one'), shell.run('cat', { stdin: 'two' }), shell.run('echo three >&2')]
    await sent(3)
    const results = await Promise.all(runs)
    expect(results.map(({ stdout, stderr }) => stdout.raw() + stderr.raw())).toEqual([
      'one\n',
      'two',
      'three\n',
    ])
  })

  it('refuses 50 MB of output and stays usable', async () => {
    const shell = await start()
    const error = await failure(shell.run('head -c 50000000 /dev/zero'))
    expect(error.code).toBe('too-much-output')
    expect(error.message).toBe('a script on db1 wrote more than 8 MiB')
    expect((await shell.run('echo still here')).stdout.raw()).toBe('still here\n')
  })

  it('refuses seven megabytes of newlines without a value for each of them, and stays usable', async () => {
    const shell = await start()
    const before = heapInUse()
    const error = await failure(shell.run('head -c 7000000 /dev/zero | tr "\\0" "\\n"'))
    expect(error).toMatchObject({
      code: 'too-much-output',
      message: 'a script on db1 wrote more than 50000 lines',
    })
    expect(heapInUse() - before).toBeLessThan(16 * 1024 * 1024)
    expect((await shell.run('echo still here')).stdout.raw()).toBe('still here\n')
    const { stdout } = await shell.run('head -c 49000 /dev/zero | tr "\\0" "\\n"')
    expect(stdout.raw()).toHaveLength(49_000)
  })

  it('rejects a response without an exit code', async () => {
    const shell = await open(['sh', '-c', `${answersJunk}`])
    expect((await failure(shell.run('true'))).code).toBe('bad-answer')
  })

  it('accepts output of exactly the limit', async () => {
    const shell = await start()
    const { stdout } = await shell.run('head -c 8388608 /dev/zero')
    expect(stdout.raw().length).toBe(8_388_608)
  })

  it('closes the connection if output never ends', async () => {
    const shell = await start()
    expect((await failure(shell.run('exec cat /dev/zero'))).code).toBe('too-much-output')
    const error = await failure(shell.run('true'))
    expect(error.message).toBe(
      'the connection to db1 was lost: it was closed after a script that did not end',
    )
  })

  it('fails a script that times out and closes the connection', async () => {
    const shell = await start()
    const [late, next] = await Promise.all([
      failure(shell.run('sleep 60', { timeout: 100 })),
      failure(shell.run('echo never')),
    ])
    expect(late.code).toBe('timeout')
    expect(late.message).toBe('a script on db1 timed out after 0.1 s; it may still be running there')
    expect(next.code).toBe('connection-lost')
  })

  it('reports a connection lost during a run and fails the waiting runs', async () => {
    const shell = await start()
    const errors = await Promise.all([failure(shell.run('kill -9 $$; sleep 60')), failure(shell.run('true'))])
    expect(errors.map(({ code }) => code)).toEqual(['connection-lost', 'connection-lost'])
    expect(errors[0]?.message).toBe('the connection to db1 was lost: SIGKILL')
  })

  it('does not wait for a background process that holds the output open', async () => {
    const shell = await start()
    expect((await shell.run('sleep 60 & echo started')).stdout.raw()).toBe('started\n')
    expect((await shell.run('echo next')).stdout.raw()).toBe('next\n')
  })

  it('ignores what the login prints before it', async () => {
    const [, loop] = loopArguments(nonce)
    const shell = await open([
      'sh',
      '-c',
      `printf 'Welcome!\nno newline'; printf 'warning' >&2; eval "$0"`,
      loop,
    ])
    expect(rawResult(await shell.run('echo clean'))).toEqual({ code: 0, stdout: 'clean\n', stderr: '' })
  })

  it('ends the loop when its input ends', async () => {
    const shell = await start()
    await shell.run('true')
    children[0]?.stdin.end()
    expect(await children[0]?.exited).toEqual({ code: 0, reason: 'exit' })
  })

  it('starts from any login shell, in one line without single quotes or exclamation marks', () => {
    const loop = "sh -c '[^'!\\n]+'$"
    expect(remoteCommand({ nonce, sudo: false })).toMatch(new RegExp(`^exec ${loop}`))
    expect(remoteCommand({ nonce, sudo: true })).toMatch(new RegExp(`^exec env LC_ALL=C sudo -n ${loop}`))
    const asking = remoteCommand({ nonce, sudo: true, prompt: 'abc' })
    expect(asking).toMatch(new RegExp(`^exec env LC_ALL=C sudo -S -p abc ${loop}`))
  })
})
