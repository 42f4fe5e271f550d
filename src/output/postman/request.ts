import { bodyOf, variable } from './bodies.ts'
import type { Operation } from './operations.ts'
import { testLines } from './script.ts'

/** The path below the component, which its folder says already: `control/service/{service}/offline`. */
const nameOf = ({ method, path }: Operation, component: string): string =>
  `${method} ${path.replace(/^\/(api\/v2\/)?/, '').replace(new RegExp(`^${component}/`), '')}`

function urlOf({ path, guard, query }: Operation, component: string): object {
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replace(/^\{(\w+)\}$/, (_all, name: string) => variable(name)))
  const host = variable('host')
  const port = variable(`${component}Port`)
  const sent = guard === undefined ? '' : `?${guard.name}=${guard.value}`
  const members = [
    ...(guard === undefined ? [] : [{ key: guard.name, value: guard.value }]),
    ...query.map(({ name, value, description }) => ({ key: name, value, description, disabled: true })),
  ]
  return {
    raw: `https://${host}:${port}/${segments.join('/')}${sent}`,
    protocol: 'https',
    host: [host],
    port,
    path: segments,
    ...(members.length > 0 && { query: members }),
  }
}

/** A call as an item of a Postman collection 2.1: the request, and the script that checks its answer. */
export function requestItem(operation: Operation, component: string): object {
  const body = operation.takesBody ? bodyOf(operation.path, component) : undefined
  return {
    name: nameOf(operation, component),
    event: [
      {
        listen: 'test',
        script: { type: 'text/javascript', exec: testLines(operation, component) },
      },
    ],
    request: {
      description: operation.summary,
      method: operation.method,
      ...(!operation.login && { auth: { type: 'noauth' } }),
      header: body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }],
      ...(body !== undefined && { body: { mode: 'raw', raw: body, options: { raw: { language: 'json' } } } }),
      url: urlOf(operation, component),
    },
  }
}
