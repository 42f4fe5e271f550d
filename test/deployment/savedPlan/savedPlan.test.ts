import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha256 } from '../../../src/base/sha256.ts'
import { planFileText, readPlanFile, type SavedPlan } from '../../../src/deployment/savedPlan/savedPlan.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const table = fc.dictionary(text, text, { maxKeys: 3, noNullPrototype: true })
const step = fc.record({
  id: text,
  phase: fc.constantFrom('stage', 'commit', 'verify'),
  summary: text,
  details: fc.array(text, { maxLength: 3 }),
})
const host = fc.record({
  host: text,
  address: text,
  machine: text,
  facts: text,
  configuration: text,
  secrets: table,
  files: table,
  steps: fc.array(step, { maxLength: 3 }),
})
const plans: fc.Arbitrary<SavedPlan> = fc.record({
  cluster: text,
  saved: text,
  muster: text,
  services: text,
  left: fc.array(text, { maxLength: 2 }),
  hosts: fc.array(host, { maxLength: 3 }),
})

const empty: SavedPlan = { cluster: 'alpha', saved: '', muster: '1.0.0', services: '', left: [], hosts: [] }
/** A file that says of itself that it is whole. */
const sealed = (content: object): string => {
  const marked = { 'muster-plan': 1, ...content }
  return JSON.stringify({ ...marked, digest: sha256(JSON.stringify(marked)) })
}

describe('a plan file', () => {
  it('is read back as any plan that was written', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        expect(readPlanFile(planFileText(plan))).toEqual({ plan })
      }),
    )
  })

  it('that was changed anywhere gives the same plan or an error', () => {
    fc.assert(
      fc.property(plans, fc.nat(), fc.string({ maxLength: 3 }), fc.nat(3), (plan, at, into, gone) => {
        const written = planFileText(plan)
        const place = at % written.length
        const reading = readPlanFile(written.slice(0, place) + into + written.slice(place + gone))
        if ('plan' in reading) expect(reading.plan).toEqual(plan)
        else expect(['foreign', 'newer', 'damaged']).toContain(reading.problem)
      }),
      { numRuns: 500 },
    )
  })

  it('that was truncated is damaged', () => {
    fc.assert(
      fc.property(plans, fc.integer({ min: 18 }), (plan, at) => {
        const written = planFileText(plan)
        const cut = written.slice(0, at % (written.length - 2))
        if (cut.length >= 18) expect(readPlanFile(cut)).toEqual({ problem: 'damaged' })
      }),
    )
  })

  it('is recognized among any other text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (other) => {
        expect(readPlanFile(other)).toEqual({ problem: 'foreign' })
      }),
    )
  })

  it.each([
    ['cluster: alpha\n', 'foreign'],
    ['{"muster-plan": 2}', 'newer'],
    ['{"muster-plan": "2"}', 'damaged'],
    [sealed({ ...empty, left: [1] }), 'damaged'],
    [sealed({ ...empty, hosts: [{}] }), 'damaged'],
    [sealed({ ...empty, muster: 1 }), 'damaged'],
  ])('is classified: %s is %s', (content, problem) => {
    expect(readPlanFile(content)).toEqual({ problem })
    expect(readPlanFile(sealed(empty))).toEqual({ plan: empty })
  })
})
