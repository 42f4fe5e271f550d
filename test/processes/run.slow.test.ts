import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ProcessError } from '../../src/processes/processError.ts'
import { run, startInteractive } from '../../src/processes/run.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const env = { ...process.env, ADMIN_PASS: 'hunter2' }

const sh = (script: string): readonly [string, ...string[]] => ['/bin/sh', '-c', script]

async function failure(promise: Promise<unknown>): Promise<ProcessError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof ProcessError) return error
    throw error
  }
  throw new Error('it did not fail')
}

describe('run', () => {
  it('returns exit code, output and errors unchanged', async () => {
    const result = await run({ command: sh('echo out; printf err >&2; exit 3'), timeout: 25_000, env })
    expect(result).toEqual({ code: 3, stdout: 'out\n', stderr: 'err' })
  })

  it('starts no shell for its arguments', async () => {
    const result = await run({ command: ['printf', '%s', '$(id) "; `x`'], timeout: 25_000, env })
    expect(result.stdout).toBe('$(id) "; `x`')
  })

  it('passes a secret on standard input and only allowed variables', async () => {
    const result = await run({
      command: sh('cat; printf "|%s" "$EXTRA"; test -n "$ADMIN_PASS" && echo leaked'),
      stdin: new Secret('pÄss'),
      extraEnv: { EXTRA: 'x' },
      timeout: 25_000,
      env,
    })
    expect(result.stdout).toBe('pÄss|x')
  })

  it('accepts a program that does not read its input', async () => {
    const result = await run({ command: sh('exit 0'), stdin: Buffer.alloc(4_000_000), timeout: 25_000, env })
    expect(result.code).toBe(0)
  })

  it('reports a missing program', async () => {
    const error = await failure(run({ command: ['/usr/bin/muster-no-such-program'], timeout: 25_000, env }))
    expect(error.code).toBe('not-found')
    expect(error.message).toBe('/usr/bin/muster-no-such-program cannot be run: no such program')
  })

  it('reports a script without its interpreter, such as one with line ends of Windows', async () => {
    const script = join(temporaryFolder(), 'script.sh')
    writeFileSync(script, '#!/bin/sh\r\nexit 0\r\n', { mode: 0o755 })
    const error = await failure(run({ command: [script], timeout: 25_000, env }))
    expect(error.message).toContain(
      `${script} cannot be run: the interpreter in its first line does not exist`,
    )
  })

  it('reports a program that is not executable', async () => {
    const error = await failure(run({ command: ['/etc/passwd'], timeout: 25_000, env }))
    expect(error.message).toBe('/etc/passwd cannot be run: permission denied')
  })

  it('kills a program that times out and keeps its error output', async () => {
    const error = await failure(run({ command: sh('echo waiting >&2; sleep 60; true'), timeout: 5000, env }))
    expect(error.code).toBe('timeout')
    expect(error.message).toBe('/bin/sh timed out after 5 s')
    expect(error.stderr).toBe('waiting\n')
  })

  it('keeps the output of a failed program as a secret', async () => {
    const error = await failure(run({ command: sh('echo hunter2; exec sleep 60'), timeout: 5000, env }))
    expect(error.stdout.reveal()).toBe('hunter2\n')
    expect(inspect(error, { depth: 9, showHidden: true }).replaceAll('echo hunter2', '')).not.toContain(
      'hunter2',
    )
  })

  it('stops reading at the output limit', async () => {
    const error = await failure(
      run({ command: ['head', '-c', '2000000', '/dev/zero'], timeout: 25_000, env, maxOutput: 1000 }),
    )
    expect(error.code).toBe('too-much-output')
  })

  it('distinguishes a signal from an exit', async () => {
    const error = await failure(run({ command: sh('kill -9 $$'), timeout: 25_000, env }))
    expect(error.code).toBe('killed')
    expect(error.message).toBe('/bin/sh was killed by SIGKILL')
  })

  it('ends the program when the signal is aborted', async () => {
    const abort = new AbortController()
    const running = failure(run({ command: ['sleep', '60'], timeout: 25_000, env, signal: abort.signal }))
    abort.abort()
    expect((await running).code).toBe('killed')
  })
})

describe('startInteractive', () => {
  it('connects the streams and reports the end of the program', async () => {
    const child = startInteractive({ command: sh('read -r x; echo "got $x"; exit 4'), env })
    child.stdin.write('hello\n')
    expect(await text(child.stdout)).toBe('got hello\n')
    expect(await child.exited).toEqual({ code: 4, reason: 'exit' })
  })

  it('passes no secret of the environment', async () => {
    const child = startInteractive({ command: ['env'], env })
    expect(await text(child.stdout)).not.toContain('hunter2')
  })

  it('kills its whole process group', async () => {
    const child = startInteractive({ command: sh('sleep 60 & echo up; wait'), env })
    child.stdout.once('data', () => child.kill())
    expect(await text(child.stdout)).toBe('up\n')
    expect(await child.exited).toEqual({ code: null, reason: 'SIGKILL' })
  })

  it('reports a program that cannot be started', async () => {
    const child = startInteractive({ command: ['/usr/bin/muster-no-such-program'], env })
    expect(await child.exited).toEqual({
      code: null,
      reason: '/usr/bin/muster-no-such-program cannot be run: no such program',
    })
  })
})
