import { describe, expect, it } from 'vitest'
import { execJson, execText, type HostExec } from '../../../src/output/deployment/exec.ts'

const ran = (host: string, code: number, stdout: string, stderr = '', cut = 0): HostExec => ({
  host,
  result: { code, stdout: { text: stdout, cut }, stderr: { text: stderr, cut: 0 } },
})
const hosts = [
  ran('db1', 0, ' up 2 days\n'),
  ran('db2', 1, '', 'sh: \u001b[1mboom\n'),
  ran('db3', 0, ' up 2 days\n'),
  ran('db4', 0, 'a\n\nb', '', 1),
]

describe('the output of muster exec', () => {
  it('is merged for hosts with the same output', () => {
    expect(execText(hosts, { colour: false, width: 80 })).toBe(`db1, db3  exit 0
  |  up 2 days
db2  exit 1
  ! sh: \\x1b[1mboom
db4  exit 0
  | a
  | 
  | b
  | … and 1 byte more
`)
    expect(execText([], { colour: false, width: 80 })).toBe('')
  })

  it('names every host, in as many lines as needed', () => {
    const fifty = Array.from({ length: 50 }, (_, index) => ran(`db${index + 1}`, 0, ''))
    const text = execText(fifty, { colour: false, width: 80 })
    expect(text.match(/db\d+/g)).toHaveLength(50)
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(text.match(/exit 0/g)).toHaveLength(1)
  })

  it('is coloured by the exit code', () => {
    const text = execText(hosts, { colour: true, width: 80 })
    expect(text).toContain('\u001b[32mexit 0\u001b[39m')
    expect(text).toContain('\u001b[31mexit 1\u001b[39m')
  })

  it('is a line of JSON for each host', () => {
    const told = execJson(hosts)
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(told).toHaveLength(4)
    expect(told[3]).toEqual({
      host: 'db4',
      code: 0,
      stdout: 'a\n\nb',
      stderr: '',
      cut: { stdout: 1, stderr: 0 },
    })
  })
})
