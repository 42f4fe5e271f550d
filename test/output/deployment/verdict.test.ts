import { describe, expect, it } from 'vitest'
import type { HostOutcome } from '../../../src/deployment/events.ts'
import { apiUrlsText } from '../../../src/output/deployment/apiUrls.ts'
import { stoppedText, verdictText } from '../../../src/output/deployment/verdict.ts'

const outcome = (host: string, result: HostOutcome['result'], message?: string): HostOutcome => ({
  applied: [],
  seconds: {},
  host,
  result,
  ...(message === undefined ? {} : { failure: { code: 'failed', message, fix: 'mend it' } }),
})
const layout = { exit: 1, reasons: true, seconds: 12.34, colour: false, width: 60 }

describe('the verdict of a run', () => {
  it('names the number, hosts and reasons of failures, grouped by reason', () => {
    const outcomes = [
      outcome('ux1', 'changed'),
      outcome('ux2', 'failed', 'ux2 (10.0.0.2 port 22) did not answer\nand more'),
      outcome('ux3', 'not-started'),
    ]
    expect(verdictText([...outcomes, outcome('ux4', 'unchanged')], layout)).toBe(`FAILED: 1 of 4 hosts (ux2)
  ux2: 10.0.0.2 port 22 did not answer [failed]
`)
    const lost = ['ux4', 'ux5'].map((host) => outcome(host, 'unreachable', `${host} is gone`))
    expect(verdictText([...outcomes, ...lost], layout)).toBe(`FAILED: 3 of 5 hosts (ux2, ux4 and ux5)
  ux2: 10.0.0.2 port 22 did not answer [failed]
  ux4 and ux5: is gone [failed]
`)
  })

  it('has the duration of a successful run, and is empty for a stopped run', () => {
    const good = [outcome('ux1', 'changed'), outcome('ux2', 'unchanged')]
    expect(verdictText(good, { ...layout, exit: 0 })).toBe('DONE: 2 hosts in 12.3 s\n')
    expect(verdictText([outcome('ux1', 'stopped')], { ...layout, exit: 130 })).toBe('')
    const shortcoming = "the databases reject 'watch' (monitor-user)"
    expect(verdictText(good, { ...layout, width: 100, exit: 6, shortcoming })).toBe(
      `INCOMPLETE: 2 hosts in 12.3 s, but ${shortcoming}\n`,
    )
  })

  it('repeats no reasons of a run that did not begin', () => {
    const refused = [outcome('ux1', 'not-started'), outcome('ux2', 'failed', 'its port is taken')]
    expect(verdictText(refused, { ...layout, reasons: false })).toBe('FAILED: 1 of 2 hosts (ux2)\n')
  })

  it('breaks no line inside a word', () => {
    const many = Array.from({ length: 30 }, (_, index) =>
      outcome(`database-${index}`, 'failed', `it broke in the way of number ${index % 2}, and badly`),
    )
    const lines = verdictText(many, layout).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60)
    expect(lines[0]).toBe('FAILED: 30 of 30 hosts (database-0, database-1, database-2,')
    expect(lines.join(' ')).toContain('and 22 more)')
  })
})

describe('apiUrlsText', () => {
  it('has a row of URLs for each component, and commands that can be copied', () => {
    const urls = Array.from({ length: 9 }, (_, index) => `https://10.0.0.${index + 1}:8090`)
    expect(
      apiUrlsText({
        apis: [
          { component: 'manager', urls },
          { component: 'connector', urls: ['https://10.0.0.1:8096'] },
        ],
        commands: [{ what: 'next', command: 'muster status a/folder/of/some/length/and/more/muster.yaml' }],
        width: 60,
      }),
    ).toBe(`  manager    https://10.0.0.1:8090, https://10.0.0.2:8090,
             https://10.0.0.3:8090, https://10.0.0.4:8090
             and 5 more
  connector  https://10.0.0.1:8096
  next       muster status \\
             a/folder/of/some/length/and/more/muster.yaml
`)
  })
})

const textOf = (...results: readonly HostOutcome['result'][]): string =>
  stoppedText(
    'install',
    results.map((result, index) => ({ host: `db${index}`, result, applied: [], seconds: {} })),
  )

describe('stoppedText', () => {
  it('describes the state of the run, and how to continue', () => {
    expect(textOf('changed', 'stopped')).toBe(
      'Stopped between two steps. Run `muster install` again to continue.\n',
    )
    expect(textOf('changed', 'not-started')).toBe('Stopped. Run `muster install` again to continue.\n')
    expect(textOf('not-started', 'unchanged')).toBe(
      'Stopped before any component was changed. Run `muster install` again to continue.\n',
    )
  })
})
