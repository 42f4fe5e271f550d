import { describe, expect, it } from 'vitest'
import { shells } from '../../../src/cli/completion/stubs.ts'
import { muster } from '../../../src/commands/muster.ts'
import { commandContext } from '../../config/commandContext.ts'

async function run(...argv: string[]) {
  const { context, out, err } = commandContext({})
  return { code: await muster({ argv, context }), out: out(), err: err() }
}

describe('the command completion', () => {
  it.each(shells)('prints a script for %s with instructions to load it', async (shell) => {
    const { code, out, err } = await run('completion', shell)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain(`muster completion ${shell}`)
  })

  it('requires exactly one supported shell', async () => {
    const other = await run('completion', 'tcsh')
    expect(other).toMatchObject({ code: 3, out: '' })
    expect(other.err).toContain('Allowed choices are bash, zsh, fish.')
    expect(await run('completion')).toMatchObject({ code: 3, out: '' })
  })

  it.each(shells)('explains in one line how to install the script for %s', async (shell) => {
    const { out } = await run('completion', '--help')
    const lines = out.split('\n').filter((line) => line.startsWith(`  ${shell} `))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(`muster completion ${shell}`)
  })
})
