import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  failuresText,
  failureText,
  type HostFailure,
  withoutHostName,
} from '../../../src/output/deployment/failureText.ts'

const failed = (
  host: string,
  message: string,
  fix = 'Mend it.',
  code: HostFailure['failure']['code'] = 'failed',
): HostFailure => ({
  host,
  failure: { code, message, fix },
})

describe('failureText', () => {
  it('names host, reason, code and fix, the host and the word in colour', () => {
    const one = failed(
      'db1',
      'port 8090 is taken',
      'Stop that program,\nor choose another port.',
      'port-in-use',
    )
    expect(failureText({ ...one, colour: true })).toBe(
      '\u001b[31merror\u001b[39m \u001b[1mdb1:\u001b[22m port 8090 is taken [port-in-use]\n  fix: Stop that program,\n       or choose another port.\n',
    )
  })

  it.each([
    ['db1 refused the login of ops', 'refused the login of ops'],
    ['db1 (10.0.0.1 port 22) takes connections', '10.0.0.1 port 22 takes connections'],
    ['db10 is not db1', 'db10 is not db1'],
  ])('names the host once: %s', (message, said) => {
    expect(failureText({ ...failed('db1', message), colour: false })).toBe(
      `error db1: ${said} [failed]\n  fix: Mend it.\n`,
    )
  })

  it('has the code in its first line if the reason has several', () => {
    const one = failed('db1', 'the host is not as it was:\n    new: write settings\n    gone: stop')
    expect(failureText({ ...one, colour: false })).toBe(
      'error db1: the host is not as it was: [failed]\n    new: write settings\n    gone: stop\n  fix: Mend it.\n',
    )
  })
})

describe('failuresText', () => {
  const hosts = Array.from({ length: 50 }, (_, index) => `db${index + 1}`)

  it('merges hosts with the same failure', () => {
    const all = hosts.map((host) => failed(host, `${host} has no release before this one`))
    expect(failuresText(all, { colour: false })).toBe(
      'error db1, db2, db3, db4, db5, db6, db7, db8, db9, db10, db11, db12 and 38 more: has no release before this one [failed]\n  fix: Mend it.\n',
    )
  })

  it('writes a common fix once, below its hosts, in the order of the hosts', () => {
    const some = [
      failed('db1', 'db1 (10.0.0.1 port 22) did not answer', 'Is it up?'),
      failed('db2', 'the disk is full'),
      failed('db3', 'db3 (10.0.0.3 port 22) did not answer', 'Is it up?'),
      failed('db4', 'the disk is full'),
      failed('db5', 'the disk is full', 'Mend it.', 'disk-full'),
    ]
    expect(failuresText(some, { colour: false })).toBe(
      `error db1: 10.0.0.1 port 22 did not answer [failed]
error db3: 10.0.0.3 port 22 did not answer [failed]
  fix: Is it up?
error db2 and db4: the disk is full [failed]
  fix: Mend it.
error db5: the disk is full [disk-full]
  fix: Mend it.
`,
    )
  })

  it('wraps lines between words at the width, without counting colours', () => {
    const one = failed(
      'db1',
      'nothing is installed in /opt/muster',
      'Run `muster install` first, then look again.',
    )
    const plain = failuresText([one], { colour: false, width: 36 })
    expect(plain).toBe(
      `error db1: nothing is installed in
  /opt/muster [failed]
  fix: Run \`muster install\` first,
       then look again.
`,
    )
    const painted = failuresText([one], { colour: true, width: 36 })
    expect(stripVTControlCharacters(painted)).toBe(plain)
  })

  it('is empty without a failure', () => {
    expect(failuresText([], { colour: true })).toBe('')
  })
})

it.each([
  ['db1 refused the login of ops', 'refused the login of ops'],
  ['db1 (10.0.0.1 port 22) takes connections', '10.0.0.1 port 22 takes connections'],
  ['db1 (10.0.0.1 port 22)', '(10.0.0.1 port 22)'],
  ['db10 is not db1', 'db10 is not db1'],
  ['', ''],
])('withoutHostName removes the name of the host before it: %j', (message, said) => {
  expect(withoutHostName('db1', message)).toBe(said)
})
