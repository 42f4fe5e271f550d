import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { execOnHost, keptBytes } from '../../src/deployment/execOnHost.ts'
import { connectLocal } from '../../src/transport/local.ts'
import type { Transport } from '../../src/transport/transport.ts'

describe('a program on a host', () => {
  let transport: Transport
  beforeAll(async () => {
    transport = await connectLocal({ host: 'here', env: process.env })
  })
  afterAll(() => transport?.close())

  const exec = (...words: readonly [string, ...string[]]) => execOnHost(transport, { words, timeout: 20_000 })
  const whole = (text: string) => ({ text, cut: 0 })

  it('returns its exit code and both outputs byte for byte', async () => {
    const script = 'printf "a\\n\\nb"; printf "c\\n" >&2; exit 7'
    expect(await exec('sh', '-c', script)).toEqual({ code: 7, stdout: whole('a\n\nb'), stderr: whole('c\n') })
    expect(await exec('true')).toEqual({ code: 0, stdout: whole(''), stderr: whole('') })
  })

  it('gets every word unchanged', async () => {
    const word = fc.string({
      unit: fc.constantFrom('a', ' ', "'", '"', '$', '`', '\\', '*', '\n', ';', '!', 'é', '%'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 5 }), async (words) => {
        const { stdout } = await exec('sh', '-c', 'for w; do printf "%s|" "$w"; done', 'sh', ...words)
        expect(stdout.text).toBe(words.map((one) => `${one}|`).join(''))
      }),
      { numRuns: 40 },
    )
  })

  it('is never a shell command', async () => {
    expect(await exec('exit', '3')).toMatchObject({ code: 127 })
    expect(await exec('A=b')).toMatchObject({ code: 127 })
    expect((await exec('eval', 'echo no')).stdout.text).toBe('')
    const { stderr } = await exec('no-such-program')
    expect(stderr.text).toContain('no-such-program: not found')
  })

  it('has an empty standard input', async () => {
    expect(await exec('cat')).toEqual({ code: 0, stdout: whole(''), stderr: whole('') })
  })

  it('is not affected by the output limit', async () => {
    const many = 3_000_000
    const script = `head -c ${many} /dev/zero | tr '\\0' x; head -c ${many} /dev/zero | tr '\\0' y >&2; exit 5`
    const { code, stdout, stderr } = await exec('sh', '-c', script)
    expect(code).toBe(5)
    expect(stdout).toEqual({ text: 'x'.repeat(keptBytes), cut: many - keptBytes })
    expect(stderr).toEqual({ text: 'y'.repeat(keptBytes), cut: many - keptBytes })
  })

  it('has a signal as exit code, as in a shell', async () => {
    expect(await exec('sh', '-c', 'kill -TERM $$')).toMatchObject({ code: 143 })
  })

  it('is named if it times out', async () => {
    const slow = await connectLocal({ host: 'here', env: process.env })
    const running = execOnHost(slow, { words: ['sleep', '30'], timeout: 100 })
    await expect(running).rejects.toMatchObject({
      name: 'StepError',
      host: 'here',
      code: 'timeout',
      message: 'the command timed out after 0.1 s; it may still be running there',
    })
    await slow.close()
  })
})
