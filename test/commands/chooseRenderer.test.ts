import { describe, expect, it } from 'vitest'
import { chooseRenderer } from '../../src/commands/chooseRenderer.ts'
import { commandContext } from '../config/commandContext.ts'

describe('chooseRenderer', () => {
  it.each([true, false])('tells a notice, which belongs to no host (terminal: %s)', async (isTTY) => {
    let out = ''
    const stdout = { write: (text: string) => (out += text), isTTY }
    const { context } = commandContext({ stdout })
    const renderer = await chooseRenderer({ context, json: false, hosts: [] })
    await renderer.end()
    renderer.emit({ type: 'notice', message: 'getting the runtime' })
    expect(out).toBe('getting the runtime\n')
  })
})
