import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { CertificateErrorCode } from '../../src/certificates/certificateError.ts'
import { type ClientErrorCode, clientErrorCodes } from '../../src/client/clientError.ts'
import type { Failure } from '../../src/deployment/events.ts'
import type { StepError } from '../../src/deployment/stepError.ts'
import { isCode } from '../../src/diagnostics/codes.ts'
import {
  explainFailureCode,
  type FailureCode,
  failureCodes,
  failureNamed,
} from '../../src/diagnostics/failures.ts'
import type { SecretErrorCode } from '../../src/secrets/secretError.ts'
import type { TransportErrorCode } from '../../src/transport/transportError.ts'

const docs = fileURLToPath(new URL('../../docs', import.meta.url))
const sources = fileURLToPath(new URL('../../src', import.meta.url))

describe('the failures of docs/failures.md', () => {
  it('are one section for each heading, with a title, a cause and a fix', () => {
    const page = readFileSync(join(docs, 'failures.md'), 'utf8')
    expect(failureCodes).toEqual([...page.matchAll(/^### (.*)$/gm)].map(([, code]) => code))
    for (const code of failureCodes) {
      const { title, about } = explainFailureCode(code)
      expect(title, code).toMatch(/^[A-Zms].*\.$/)
      expect(about, code).toHaveLength(2)
    }
  })

  // The compiler refuses a code that is not explained wherever a failure is made.
  it('explain every code that a run prints for a host', () => {
    expectTypeOf<Failure['code']>().toEqualTypeOf<FailureCode>()
    expectTypeOf<StepError['code']>().toEqualTypeOf<FailureCode>()
    expectTypeOf<
      TransportErrorCode | SecretErrorCode | CertificateErrorCode | ClientErrorCode
    >().toExtend<FailureCode>()
    expect(clientErrorCodes.filter((code) => !isCode(code) && failureNamed(code) === undefined)).toEqual([])
  })

  it('are all made somewhere in the sources', () => {
    const text = readdirSync(sources, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.ts$/.test(name))
      .map((name) => readFileSync(join(sources, name), 'utf8'))
      .join('\n')
    const made = (code: string): boolean => text.includes(`'${code}'`) || text.includes(`${code}:`)
    // The code of a store is put together: `${what}-missing`.
    expect(failureCodes.filter((code) => !made(code))).toEqual(['keystore-missing', 'truststore-missing'])
  })

  it('have no other name than their codes', () => {
    for (const word of ['constructor', '__proto__', 'port-clash']) expect(failureNamed(word)).toBeUndefined()
  })
})
