import type { Static } from 'typebox'
import { expect, expectTypeOf, it } from 'vitest'
import { DataSourceState, dataSourceStates, recordedStates } from '../../src/contracts/servicesMap.ts'

it('the services map: DataSourceState contains every state that is shown, and UNKNOWN is never recorded', () => {
  expectTypeOf<Static<typeof DataSourceState>>().toEqualTypeOf<DataSourceState>()
  expect(DataSourceState.enum).toEqual([...dataSourceStates])
  expect([...recordedStates, 'UNKNOWN']).toEqual([...dataSourceStates])
})
