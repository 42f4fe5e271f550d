import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { configText, inColumns } from '../../../src/output/config/configText.ts'
import { describedFile, folder, shortened } from '../../config/describe/described.ts'

const cluster = shortened(describedFile('cluster.yaml', 'muster.yaml'))
const plain = { colour: false, width: 80 }

describe('configText', () => {
  it('prints every value', async () => {
    const text = configText(cluster, { ...plain, origin: false })
    await expect(text).toMatchFileSnapshot(`${folder}/cluster.txt`)
  })

  it.each([
    ['short.80', 'muster.yaml', 80],
    ['long.80', 'environments/production/muster.yaml', 80],
    ['long.120', 'environments/production/muster.yaml', 120],
  ])('writes the origin of each value (%s)', async (golden, name, width) => {
    const text = configText(shortened(describedFile('cluster.yaml', name)), { ...plain, origin: true, width })
    await expect(text).toMatchFileSnapshot(`${folder}/cluster.origin.${golden}.txt`)
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width)
  })

  it.each([true, false])('writes YAML with the same values (origins: %s)', (origin) => {
    const read = parse(configText(cluster, { ...plain, origin })) as Record<string, Record<string, unknown>>
    for (const host of cluster.hosts) {
      const values = (group: 'host' | 'ssh' | 'options') =>
        Object.fromEntries(host[group].map(({ name, value }) => [name, value]))
      const groups = { ssh: values('ssh'), options: values('options') }
      const filled = Object.entries(groups).filter(([, group]) => Object.keys(group).length > 0)
      expect(read[host.name]).toEqual({ ...values('host'), ...Object.fromEntries(filled) })
    }
  })

  it('dims the origins on a terminal, and changes nothing else', () => {
    const coloured = configText(cluster, { origin: true, colour: true, width: 80 })
    const codes = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g')
    expect(coloured.match(codes)?.length).toBeGreaterThan(20)
    expect(coloured.replaceAll(codes, '')).toBe(configText(cluster, { ...plain, origin: true }))
  })

  it('keeps any file name inside its comment', () => {
    const text = configText(describedFile('cluster.yaml', 'a\nb: 1\u202e'), { ...plain, origin: true })
    expect(Object.keys(parse(text) as object)).toEqual(['db1', 'db2', 'w1'])
    expect(text).not.toContain('\u202e')
  })
})

const columns = (width: number, ...lines: { text: string; remark?: string }[]) =>
  inColumns(lines, { width, paint: (comment) => comment })

it('inColumns aligns remarks after the longest line', () => {
  const lines = columns(
    40,
    { text: 'a: 1', remark: 'x' },
    { text: 'group:' },
    { text: '  long: 22', remark: 'y' },
  )
  expect(lines).toEqual(['a: 1        # x', 'group:', '  long: 22  # y'])
})

it('inColumns ignores one overlong line for the column', () => {
  const long = `list: [${'x'.repeat(60)}]`
  const lines = columns(90, { text: 'a: 1', remark: 'x' }, { text: long, remark: 'y' })
  expect(lines).toEqual(['a: 1  # x', `${long}  # y`])
})

it('inColumns writes a remark above its line if there is no room', () => {
  const lines = columns(
    20,
    { text: '  a: 1', remark: 'eleven more' },
    { text: '  ab: 1', remark: 'ten sign s' },
  )
  expect(lines).toEqual(['  # eleven more', '  a: 1', '  # ten sign s', '  ab: 1'])
  expect(columns(21, { text: '  ab: 1', remark: 'ten sign s' })).toEqual(['  ab: 1  # ten sign s'])
})
