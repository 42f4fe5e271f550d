import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeMachines, encodeMachines } from '../../../src/deployment/state/machinesFile.ts'

describe('machines.json', () => {
  it('is read back as what was written, whatever the names', () => {
    const machines = fc.dictionary(fc.string({ minLength: 1 }), fc.stringMatching(/^[0-9a-f]{32}$/))
    fc.assert(
      fc.property(machines, (made) => {
        const map = new Map(Object.entries(made))
        expect(decodeMachines(encodeMachines(map))).toEqual(map)
      }),
    )
  })

  it.each([
    ['not json', 'is not JSON'],
    ['[]', 'is not JSON'],
    ['{"version":2,"machines":{}}', 'is of a version that this muster does not know'],
    ['{"version":1}', 'has no machines'],
    ['{"version":1,"machines":{"db1":7}}', 'has a host without a machine-id'],
  ])('%s %s', (text, defect) => {
    expect(decodeMachines(Buffer.from(text))).toBe(defect)
  })
})
