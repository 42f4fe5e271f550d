import { describe, expect, it } from 'vitest'
import { chooseRenderer } from '../../src/session/chooseRenderer.ts'
import { commandContext } from '../config/commandContext.ts'

const failedOf = (host: string) =>
  ({
    type: 'host-failed',
    host,
    failure: { code: 'broken', message: 'it broke', fix: 'Mend it.' },
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
    expect(said).toEqual(['err: error db1 and db2: it broke [broken]\n  fix: Mend it.\n'])
  })

  it('prints a failure during the run, before later events', async () => {
    const { said, context } = outputs(false)
    const renderer = await chooseRenderer({ context, json: false, hosts: ['db1', 'db2'] })
    renderer.emit(failedOf('db1'))
    renderer.emit({ type: 'notice', message: 'later' })
    const [first, second] = ['err: error db1: it broke [broken]\n  fix: Mend it.\n', 'out: later\n']
    expect(said).toEqual([first, second])
    renderer.emit(failedOf('db2'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(said).toEqual([first, second, first.replace('db1', 'db2')])
  })
})
