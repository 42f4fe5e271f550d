import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { chooseRenderer } from '../../src/session/chooseRenderer.ts'
import { commandContext } from '../config/commandContext.ts'

const failedOf = (host: string) =>
  ({
    type: 'host-failed',
    host,
    failure: { code: 'failed', message: 'it broke', fix: 'Mend it.' },
  }) as const

function outputs(isTTY: boolean) {
  const said: string[] = []
  const output = (stream: string) => ({ write: (text: string) => said.push(`${stream}: ${text}`), isTTY })
  return { said, ...commandContext({ stdout: output('out'), stderr: output('err') }) }
}

describe('chooseRenderer', () => {
  it.each([true, false])('prints a notice (terminal: %s)', async (isTTY) => {
    const { said, context } = outputs(isTTY)
    const renderer = await chooseRenderer({ context, json: false, hosts: [] })
    await renderer.end()
    renderer.emit({ type: 'notice', message: 'fetching the runtime' })
    expect(said).toEqual(['out: fetching the runtime\n'])
  })

  it('prints failures of one moment together', async () => {
    const { said, context } = outputs(false)
    const renderer = await chooseRenderer({ context, json: false, hosts: ['db1', 'db2'] })
    renderer.emit(failedOf('db1'))
    renderer.emit(failedOf('db2'))
    await renderer.end()
    expect(said).toEqual(['err: error db1 and db2: it broke [failed]\n  fix: Mend it.\n'])
  })

  it('prints a failure during the run, before later events', async () => {
    const { said, context } = outputs(false)
    const renderer = await chooseRenderer({ context, json: false, hosts: ['db1', 'db2'] })
    renderer.emit(failedOf('db1'))
    renderer.emit({ type: 'notice', message: 'later' })
    const [first, second] = ['err: error db1: it broke [failed]\n  fix: Mend it.\n', 'out: later\n']
    expect(said).toEqual([first, second])
    renderer.emit(failedOf('db2'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(said).toEqual([first, second, first.replace('db1', 'db2')])
  })

  it.each([true, false])('prints only failures with --quiet (terminal: %s)', async (isTTY) => {
    const { said, context } = outputs(isTTY)
    const quiet = { ...context, verbosity: 'quiet' } as const
    const renderer = await chooseRenderer({ context: quiet, json: false, hosts: ['db1'] })
    renderer.emit({ type: 'phase-started', host: 'db1', phase: 'commit' })
    renderer.emit({ type: 'notice', message: 'fetching the runtime' })
    renderer.emit(failedOf('db1'))
    await renderer.end()
    expect(stripVTControlCharacters(said.join('')).replaceAll(/\s+/g, ' ')).toContain(
      'err: error db1: it broke [failed] fix: Mend it.',
    )
    expect(said).toHaveLength(1)
  })

  it.each([true, false])(
    'prints a line for each phase and step with --verbose (terminal: %s)',
    async (isTTY) => {
      const { said, context } = outputs(isTTY)
      const verbose = { ...context, verbosity: 'verbose' } as const
      const renderer = await chooseRenderer({
        context: verbose,
        json: false,
        hosts: ['db1'],
        isPlanned: true,
      })
      const step = { host: 'db1', step: 'units', title: 'write the units' } as const
      renderer.emit({ type: 'phase-started', host: 'db1', phase: 'commit' })
      renderer.emit({ type: 'step-started', ...step })
      renderer.emit({ type: 'step-done', ...step, seconds: 0.24 })
      renderer.emit({ type: 'phase-done', host: 'db1', phase: 'commit', seconds: 1.3 })
      await renderer.end()
      expect(said).toEqual([
        'out: db1: commit begins\n',
        'out: db1: write the units …\n',
        'out: db1: write the units (0.2 s)\n',
        'out: db1: commit ends (1.3 s)\n',
      ])
    },
  )
})
