import { expect, it } from 'vitest'
import { createTaskTable } from '../../../../src/components/manager/switch/taskTable.ts'

const add = () =>
  createTaskTable(() => new Date()).add({ id: 'x', operation: 'switch', service: 'alpha', step: 'check' })

it.each(['complete', 'failed'] as const)('a task lets its readers wait until it is %s', async (state) => {
  const task = add()
  let isOver = false
  const waiting = task.ended(9999).then(() => {
    isOver = true
  })
  task.begin('freeze')
  await task.ended(1)
  expect(isOver).toBe(false)
  if (state === 'failed') task.fail('why')
  else task.complete({ oldPrimary: 'db1', newPrimary: 'db2', heldMilliseconds: 1, remarks: [] })
  await waiting
  await task.ended(9999)
  expect(task.payload().state).toBe(state)
})

it('a task answers at once whoever does not wait', async () => {
  const task = add()
  await task.ended(0)
  expect(task.payload().state).toBe('in_progress')
})
