import { expect, it } from 'vitest'
import { whatFailed } from '../../../src/output/deployment/whatFailed.ts'

it.each([
  ['db1 refused the login of ops', 'refused the login of ops'],
  ['db1 (10.0.0.1 port 22) takes connections', '10.0.0.1 port 22 takes connections'],
  ['db1 (10.0.0.1 port 22)', '(10.0.0.1 port 22)'],
  ['db10 is not db1', 'db10 is not db1'],
  ['', ''],
])('whatFailed leaves out the name that stands before it: %s', (message, said) => {
  expect(whatFailed('db1', message)).toBe(said)
})
