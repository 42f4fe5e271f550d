import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { muster } from '../../src/commands/muster.ts'
import { commandContext } from '../config/commandContext.ts'
import { good } from '../config/loadText.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const sentinel = '\'"\\$#%:@ é'

/** `muster validate` with a secret from standard input, which is a terminal. */
async function typed(
  keys: string,
  options: { readonly argv?: readonly string[]; readonly text?: string } = {},
) {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'muster.yaml'), options.text ?? good)
  const raw: boolean[] = []
  const terminal = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => raw.push(on),
  })
  const { context, out, err } = commandContext({ cwd, stdin: terminal })
  terminal.write(keys)
  const argv = options.argv ?? ['--set', 'rest-api-admin-pass=-']
  const code = await muster({ argv: ['validate', ...argv], context })
  return { code, out: out(), err: err(), raw }
}

describe('--set name=- on a terminal', () => {
  it('asks for the option by name, and shows nothing of what is typed', async () => {
    const { code, out, err, raw } = await typed(`${sentinel}${sentinel}\r`)
    expect(err).toBe('rest-api-admin-pass: \n')
    expect(raw).toEqual([true, false])
    expect(out).toContain('is valid')
    expect(code).toBe(0)
  })

  it('uses what was typed as the value', async () => {
    const { code, out, err } = await typed('tungsten\r')
    expect(code).toBe(1)
    expect(out).toContain('rest-api-admin-pass is a well-known default password.')
    expect(out + err).not.toContain('tungsten')
  })

  it.each(['\r', '\u0004'])('fails if nothing is typed (%j)', async (keys) => {
    const { code, out, err, raw } = await typed(keys)
    expect(code).toBe(3)
    expect(out).toBe('')
    expect(err).toBe(
      'rest-api-admin-pass: \nerror: rest-api-admin-pass was not given.\n  fix: Type it and press Enter; it is not shown. Without --set, the value of the file is used.\n',
    )
    expect(raw).toEqual([true, false])
  })

  it('ends with 130 after Ctrl-C, and restores the terminal', async () => {
    const { code, out, raw } = await typed('abc\u0003')
    expect(code).toBe(130)
    expect(out).toBe('')
    expect(raw).toEqual([true, false])
  })

  it('does not ask if the file cannot be read', async () => {
    const argv = ['--set', 'rest-api-admin-pass=-', 'none.yaml']
    const { code, out, err } = await typed('', { argv })
    expect(code).toBe(3)
    expect(err).toBe('')
    expect(out).toContain('There is no file none.yaml.')
    expect(out).not.toContain('stdin-twice')
  })
})
