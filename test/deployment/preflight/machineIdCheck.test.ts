import { describe, expect, it } from 'vitest'
import { reasons, subject, verdicts } from './values.ts'

describe('the machine-id check', () => {
  it.each([
    ['', 'it has no /etc/machine-id'],
    ['uninitialized', 'its /etc/machine-id is not a valid machine-id'],
  ])('warns about the machine-id "%s": %s', (machineId, reason) => {
    expect(reasons('machine-id', [subject({ facts: { machineId } })])).toEqual([`warning: ${reason}`])
  })

  it('fails for a machine that replaced the installed one', () => {
    const machines = { recorded: new Map([['db1', 'f'.repeat(32)]]), folders: new Map(), replaced: [] }
    const [found] = verdicts('machine-id', [subject({})], { machines })
    expect(found).toMatchObject({ result: 'failure' })
    expect(JSON.stringify(found)).toContain('is not the machine that was installed')
  })

  it('warns about clones with the same list on each', () => {
    const clones = ['db1', 'db2'].map((name) => subject({ host: { name } }))
    const other = subject({ host: { name: 'db3' }, facts: { machineId: 'f'.repeat(32) } })
    const [one = other, two = other] = clones
    const clone =
      'warning: db1 and db2 have the same machine-id: they are clones, or one machine under several names'
    expect(reasons('machine-id', [one, two, other])).toEqual([clone])
    expect(reasons('machine-id', [two, one, other])[0]).toMatch(/^warning: /)
    expect(reasons('machine-id', [other, one, two])).toEqual([`ok: ${'f'.repeat(32)}`])
  })
})
