import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeMachines, encodeMachines } from '../../../src/deployment/state/machinesFile.ts'

describe('machines.json', () => {
  it('is read back as what was written, whatever the names', () => {
    const machines = fc.dictionary(fc.string({ minLength: 1 }), fc.stringMatching(/^[0-9a-f]{32}$/))
    fc.assert(
      fc.property(
        machines,
        fc.dictionary(fc.string({ minLength: 1 }), fc.string({ minLength: 1 })),
        (ids, places) => {
          const known = { machines: new Map(Object.entries(ids)), folders: new Map(Object.entries(places)) }
          expect(decodeMachines(encodeMachines(known))).toEqual(known)
        },
      ),
    )
  })

  it('is read as an older muster wrote it, without folders', () => {
    expect(decodeMachines(Buffer.from('{"version":1,"machines":{"db1":"0f"}}'))).toEqual({
      machines: new Map([['db1', '0f']]),
      folders: new Map(),
    })
  })

  it.each([
    ['not json', 'is not JSON'],
    ['[]', 'is not JSON'],
    ['{"version":2,"machines":{}}', 'has a version that this muster does not support'],
    ['{"version":1}', 'has no machines'],
    ['{"version":1,"machines":{"db1":7}}', 'has a host without a machine-id'],
    ['{"version":1,"machines":{},"folders":{"db1":""}}', 'has a host without a folder'],
  ])('%s %s', (text, defect) => {
    expect(decodeMachines(Buffer.from(text))).toBe(defect)
  })
})
