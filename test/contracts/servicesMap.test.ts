import type { Static } from 'typebox'
import { expect, expectTypeOf, it } from 'vitest'
import { DataSourceState, dataSourceStates, recordedStates } from '../../src/contracts/servicesMap.ts'

it('means by DataSourceState all states that are shown, as a schema and as a type; UNKNOWN is never recorded', () => {
  expectTypeOf<Static<typeof DataSourceState>>().toEqualTypeOf<DataSourceState>()
  expect(DataSourceState.enum).toEqual([...dataSourceStates])
  expect([...recordedStates, 'UNKNOWN']).toEqual([...dataSourceStates])
})
