import { expect, it } from 'vitest'
import { switchSteps } from '../../src/contracts/choices.ts'
import {
  lossText,
  switchPlanText,
  switchQuestion,
  switchRefusalLines,
  switchResultText,
  switchStepText,
  waitText,
} from '../../src/output/switchText.ts'

const plan = { service: 'alpha', from: 'db1', to: 'db2', loss: null, refusals: [] }

it('switchPlanText names both primaries, or that there is none', () => {
  expect(switchPlanText(plan)).toBe('alpha: db1 -> db2')
  expect(switchPlanText({ ...plan, from: null, to: null })).toBe('alpha: no primary -> none')
})

it('switchRefusalLines lists who, why and each line of the fix', () => {
  const refusals = [
    { datasource: null, reason: 'another switch is running', fix: null },
    { datasource: 'db2', reason: 'grants are missing', fix: 'GRANT A;\n\nGRANT B;' },
  ]
  expect(switchRefusalLines({ ...plan, refusals })).toEqual([
    'alpha: another switch is running',
    'db2: grants are missing',
    '  fix: GRANT A;',
    '       GRANT B;',
  ])
})

it('switchStepText has words for each step of the contract, and the name of any other', () => {
  const without = switchSteps.filter((step) => switchStepText({ operation: 'switch', step }, plan) === step)
  expect(without).toEqual([])
  expect(switchStepText({ operation: 'failover', step: 'freeze' }, plan)).toBe('freeze: the others leave db1')
  expect(switchStepText({ operation: 'switch', step: 'freeze' }, plan)).toBe('freeze: db1 becomes read-only')
  expect(switchStepText({ operation: 'switch', step: 'another' }, plan)).toBe('another')
})

it('switchResultText tells how long clients waited, if that is known', () => {
  const result = { oldPrimary: 'db1', newPrimary: 'db2', heldMilliseconds: null, remarks: [] }
  const text = 'alpha: db2 is the primary in place of db1'
  expect(switchResultText(plan, result)).toBe(text)
  expect(switchResultText(plan, { ...result, heldMilliseconds: 1240 })).toBe(
    `${text}; clients were held for 1.2 s`,
  )
  expect(waitText(96.4)).toBe('96 ms')
})

it('lossText and switchQuestion tell a failover from a switch', () => {
  expect(lossText(plan)).toBe('')
  expect(lossText({ ...plan, loss: 'Lost: 2.' })).toBe('  Lost: 2.\n')
  expect(switchQuestion('switch', plan)).toBe(
    'Make db2 the primary of alpha in place of db1? Clients that write wait meanwhile.',
  )
  expect(switchQuestion('failover', plan, ', led by db3')).toBe(
    'Make db2 the primary of alpha in place of db1, which is lost, led by db3? Clients that write wait meanwhile.',
  )
})
