import { mapVariable } from './bodies.ts'
import type { Operation } from './operations.ts'

/** The lines with which Postman and newman check the answer of a call. */
export function testLines({ method, path, answer }: Operation, component: string): readonly string[] {
  const { mediaType, payloadType } = answer
  const status = "pm.test('status is 200', () => pm.response.to.have.status(200))"
  const type = `pm.test('content type is ${mediaType}', () => pm.expect(pm.response.headers.get('Content-Type')).to.match(/^${mediaType.replaceAll('/', '\\/')}(;|$)/))`
  if (payloadType === undefined) return [status, type]
  const keepsMap = method === 'GET' && path.endsWith('/servicesmap')
  return [
    status,
    type,
    `pm.test('payloadType is ${payloadType}', () => pm.expect(pm.response.json().payloadType).to.eql('${payloadType}'))`,
    "pm.test('payloadVersion is 1', () => pm.expect(pm.response.json().payloadVersion).to.eql('1'))",
    ...(keepsMap
      ? [
          '// States are no part of a map: who sends one with a state is refused.',
          `if (pm.response.code === 200) pm.collectionVariables.set('${mapVariable(component)}', JSON.stringify(pm.response.json().payload, (key, value) => key === 'state' ? undefined : value))`,
        ]
      : []),
  ]
}
