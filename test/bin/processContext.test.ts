import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createProcessContext } from '../../src/bin/processContext.ts'

it('lets every host and call listen to Ctrl-C without a warning of Node.js on the terminal', async () => {
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
