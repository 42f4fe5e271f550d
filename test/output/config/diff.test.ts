import { describe, expect, it } from 'vitest'
import { compareDescriptions } from '../../../src/config/describe/compare.ts'
import { configJson } from '../../../src/output/config/configJson.ts'
import { diffJson, diffText } from '../../../src/output/config/diff.ts'
import { described, describedFile, folder, shortened } from '../../config/describe/described.ts'

const before = describedFile('cluster.yaml', 'old.yaml')
const after = describedFile('later.yaml', 'new.yaml')
const difference = compareDescriptions(before, after)

const many = (log: string): string => {
  const names = Array.from({ length: 9 }, (_, n) => `h${n + 1}`)
  const hosts = names.map((name, n) => `  ${name}: { address: 10.0.0.${n + 1}${n === 0 ? '' : log} }`)
  return `cluster: a\nservices: { s: { topology: clustered, master: h1, members: [${names.join(', ')}] } }\nhosts:\n${hosts.join('\n')}\n`
}

describe('muster config diff', () => {
  it('writes the differences by host', async () => {
    await expect(diffText(difference, false)).toMatchFileSnapshot(`${folder}/diff.txt`)
  })

  it('writes JSON with every place', async () => {
    const json = diffJson(difference)
    expect(JSON.parse(json)).toMatchObject({ same: false, added: ['w2'], removed: ['w1'] })
    await expect(json).toMatchFileSnapshot(`${folder}/diff.json`)
  })

  it('groups many hosts', () => {
    const found = compareDescriptions(described(many('')), described(many(', options: { log-level: warn }')))
    expect(diffText(found, false)).toBe(
      'h2, h3, h4 and 5 more:\n  log-level: info → warn\n    default → muster.yaml:5:39 (host) and 7 more places\n',
    )
  })

  it('writes all hosts as “all”', () => {
    const found = compareDescriptions(
      described(many('')),
      described(`${many('')}defaults: { log-level: warn }\n`),
    )
    expect(diffText(found, false)).toMatch(/^all 9 hosts:\n/)
  })

  it('reports that nothing differs', () => {
    const same = compareDescriptions(before, before)
    expect(diffText(same, false)).toBe('Nothing differs: 3 hosts compared.\n')
    expect(JSON.parse(diffJson(same))).toEqual({
      same: true,
      cluster: null,
      added: [],
      removed: [],
      hosts: {},
    })
  })

  it('never prints a secret', () => {
    const all = diffText(difference, false) + diffText(difference, true) + diffJson(difference)
    expect(all).toContain('rest-api-admin-pass')
    expect(all + configJson(shortened(before))).not.toMatch(/hunter|ADMIN_PASS|admin-password/)
  })
})

describe('configJson', () => {
  it('has every value with its origin', async () => {
    const json = configJson(shortened(before))
    expect(JSON.parse(json)).toMatchObject({
      cluster: 'alpha',
      hosts: {
        db1: {
          options: {
            'log-level': {
              value: 'debug',
              origin: { layer: 'service', service: 'alpha', file: 'old.yaml', line: 17, column: 16 },
            },
          },
        },
      },
    })
    await expect(json).toMatchFileSnapshot(`${folder}/cluster.json`)
  })
})
