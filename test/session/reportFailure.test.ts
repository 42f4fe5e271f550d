import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exitCodes } from '../../src/cli/exitCodes.ts'
import { ExitError } from '../../src/cli/exitError.ts'
import { reportFailure } from '../../src/session/reportFailure.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

describe('reportFailure', () => {
  const shown = (error: unknown): { readonly code: number; readonly text: string } => {
    let text = ''
    const output = { write: (more: string) => (text += more) }
    const context = { stderr: output, env: {} } as unknown as Parameters<typeof reportFailure>[0]
    return { code: reportFailure(context, error), text }
  }
  const thrown = (work: () => unknown): unknown => {
    try {
      return work()
    } catch (error) {
      return error
    }
  }

  it('prints a file error of the system, without a stack', () => {
    const path = join(temporaryFolder(), 'nowhere')
    const { code, text } = shown(thrown(() => readFileSync(path)))
    expect(code).toBe(1)
    expect(text).toBe(
      `error: a file or folder on this machine cannot be used: ${path}: no such file or folder [ENOENT]\n  fix: Check its permissions and the free disk space, then run the command again.\n`,
    )
  })

  it('returns the exit code of an ExitError, and prints nothing', () => {
    expect(shown(new ExitError(exitCodes.usage))).toEqual({ code: 3, text: '' })
  })

  it('rethrows a bug, with its stack', () => {
    expect(() => shown(new TypeError('a bug'))).toThrow('a bug')
  })
})
