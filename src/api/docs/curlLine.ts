import type { OpenApiOperation } from '../../contracts/openApiTypes.ts'

/** A word for a POSIX shell. */
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/**
 * A command that makes the call with the values of its examples. It asks for the password, and takes a body from
 * standard input: neither is an argument that other users of the machine can see.
 */
export function curlLine(call: {
  readonly server: string
  readonly method: string
  readonly path: string
  readonly operation: OpenApiOperation
}): string {
  const { server, method, path, operation } = call
  const { parameters, requestBody, security } = operation
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(parameters.find((it) => it.in === 'path' && it.name === name)?.example ?? name),
  )
  const query = parameters
    .filter((it) => it.in === 'query' && it.required)
    .map(({ name, example = '' }) => `${name}=${encodeURIComponent(example)}`)
  const url = `${server}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`
  const body = requestBody?.content['application/json']?.example
  const words = [
    'curl --cacert authority.crt',
    ...(security.some((it) => it.basic) ? ['--user admin'] : []),
    ...(method === 'GET' ? [] : [`--request ${method}`]),
    ...(body === undefined ? [] : ["--header 'Content-Type: application/json' --data @-"]),
    quoted(url),
  ]
  const line = words.join(' ')
  return body === undefined ? line : `${line} <<'END'\n${JSON.stringify(body, null, 2)}\nEND`
}
