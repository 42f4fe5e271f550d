import { describe, expect, it } from 'vitest'
import { codesOf, findingGroups, severities } from '../../src/diagnostics/codes.ts'

describe('the codes of findings', () => {
  it('are in the groups and the order of their pages', () => {
    expect(codesOf('Ports')).toEqual([
      'port-clash',
      'local-port-clash',
      'privileged-port',
      'open-without-admin',
    ])
    expect(findingGroups.find(({ title }) => title === 'Ports')?.codes).toEqual(codesOf('Ports'))
    expect(findingGroups.flatMap(({ codes }) => codes)).toEqual(Object.keys(severities))
  })

  it('have the severities of their pages', () => {
    expect([severities['port-clash'], severities['unused-host'], severities['ini-renamed']]).toEqual([
      'error',
      'warning',
      'note',
    ])
  })
})
