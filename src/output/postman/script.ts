import { mapVariable } from './bodies.ts'
import type { Operation } from './operations.ts'

/**
 * The lines with which Postman and newman check the answer of a call. Where a host refuses it because it does not apply
 * there, they are skipped, and only the refusal is checked.
 */
export function testLines(operation: Operation, component: string): readonly string[] {
  const { inapplicable } = operation
  if (inapplicable.length === 0) return checks(operation, component, 'pm.test')
  const codes = inapplicable.map((code) => `'${code}'`).join(', ')
  return [
    `const refused = pm.response.code === 409 && [${codes}].includes(pm.response.json().payload.code)`,
    'const check = refused ? pm.test.skip : pm.test',
    "if (refused) pm.test('the host says why the call does not apply to it', () => pm.expect(pm.response.json().payload.detail).to.not.be.empty)",
    ...checks(operation, component, 'check'),
  ]
}

function checks(
  { method, path, answer }: Operation,
  component: string,
  test: 'pm.test' | 'check',
): readonly string[] {
  const { mediaType, payloadType } = answer
  const status = `${test}('status is 200', () => pm.response.to.have.status(200))`
  const type = `${test}('content type is ${mediaType}', () => pm.expect(pm.response.headers.get('Content-Type')).to.match(/^${mediaType.replaceAll('/', '\\/')}(;|$)/))`
  if (payloadType === undefined) return [status, type]
  const keepsMap = method === 'GET' && path.endsWith('/servicesmap')
  return [
    status,
    type,
    `${test}('payloadType is ${payloadType}', () => pm.expect(pm.response.json().payloadType).to.eql('${payloadType}'))`,
    `${test}('payloadVersion is 1', () => pm.expect(pm.response.json().payloadVersion).to.eql('1'))`,
    ...(keepsMap
      ? [
          '// States are no part of a map: who sends one with a state is refused.',
          `if (pm.response.code === 200) pm.collectionVariables.set('${mapVariable(component)}', JSON.stringify(pm.response.json().payload, (key, value) => key === 'state' ? undefined : value))`,
        ]
      : []),
  ]
}
