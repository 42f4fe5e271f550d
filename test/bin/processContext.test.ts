import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createProcessContext, printableOutput } from '../../src/bin/processContext.ts'

it('the context of a process has any number of abort listeners without a warning of Node.js', async () => {
  const signals = ['SIGINT', 'SIGTERM'] as const
  const outputs = [process.stdout, process.stderr]
  const before = signals.map((name) => process.listeners(name))
  const errors = outputs.map((output) => output.listeners('error'))
  const { signal } = createProcessContext('At once.')
  const warnings: Error[] = []
  const onWarning = (warning: Error): void => void warnings.push(warning)
  process.on('warning', onWarning)
  for (let call = 0; call < 50; call++) signal.addEventListener('abort', () => call)
  // Warnings come in a turn of their own.
  await turn()
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
  signals.forEach((name, index) => {
    const added = process.listeners(name).filter((one) => !before[index]?.includes(one))
    for (const one of added) process.off(name, one)
  })
  outputs.forEach((output, index) => {
    for (const one of output.rawListeners('error')) {
      if (!errors[index]?.includes(one as never)) output.off('error', one as never)
    }
  })
})

it('the output of a process escapes control characters except colours on a terminal, and writes files unchanged', () => {
  const hostile = 'a\u001b[2J\rb\u202e'
  for (const isTTY of [true, false]) {
    const printed: string[] = []
    const output = printableOutput({ write: (text) => printed.push(text), isTTY, columns: 80, rows: 24 })
    output.write(`\u001b[31merror\u001b[39m ${hostile}\n`)
    output.writeFile?.(hostile)
    const shown = 'a\\x1b[2J\\x0db\\u202e'
    expect(printed).toEqual([`\u001b[31merror\u001b[39m ${shown}\n`, isTTY ? shown : hostile])
    expect([output.isTTY, output.columns, output.rows]).toEqual([isTTY, 80, 24])
  }
})
