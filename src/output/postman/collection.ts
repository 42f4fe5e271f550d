import { type Operation, operationsOf } from './operations.ts'

/** Writes a Postman variable. */
const variable = (name: string): string => `{{${name}}}`

const payload = (payloadType: string, value: unknown): string =>
  JSON.stringify({ payloadType, payloadVersion: '1', payload: value }, null, 2)

/** Names the variable that keeps a component's map after it was read. */
const mapVariable = (component: string): string => `${component}Map`

/**
 * Returns the body of a call, by the last word of its path. The whole map is the one read before: without it
 * the body is invalid JSON, so that no map is replaced by an empty one.
 */
export function bodyOf(path: string, component: string): string | undefined {
  switch (path.split('/').at(-1)) {
    case 'createAdminUser':
      return payload('CredentialsPayload', { user: variable('newUser'), pass: variable('newPassword') })
    case 'deleteUser':
    case 'unlock':
      return payload('StringPayload', { value: variable('newUser') })
    case 'addDataService':
      return payload('DataServicePayload', { name: variable('newService') })
    case 'addDataSource':
      return payload('DataSourcePayload', {
        service: variable('newService'),
        name: variable('newDatasource'),
        host: variable('newDatasourceHost'),
        port: 3306,
        role: 'replica',
      })
    case 'servicesmap':
      return payload('ServicesMapPayload', 'map').replace('"map"', variable(mapVariable(component)))
    default:
      return undefined
  }
}

/**
 * Returns the variable without which a call is skipped: nobody switches a primary by running a whole folder, or waits
 * for the end of a stream that has none.
 */
function requiredVariable({ method, path, answer }: Operation): string | undefined {
  if (answer.mediaType === 'text/event-stream') return 'follow'
  if (path.endsWith('/{task}')) return 'task'
  if (path.includes('/{change}/')) return 'change'
  if (method !== 'POST') return undefined
  if (path.endsWith('/failover')) return 'survivor'
  return /\/switch$/.test(path) ? 'newPrimary' : undefined
}

/** Returns the path below the component, which is the folder: `control/service/{service}/offline`. */
const nameOf = ({ method, path }: Operation, component: string): string =>
  `${method} ${path.replace(/^\/(api\/v2\/)?/, '').replace(new RegExp(`^${component}/`), '')}`

function urlOf({ path, guard, query }: Operation, component: string): object {
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replace(/^\{(\w+)\}$/, (_all, name: string) => variable(name)))
  const host = variable('host')
  const port = variable(`${component}Port`)
  const primary = path.endsWith('/switch')
    ? 'newPrimary'
    : path.endsWith('/failover')
      ? 'survivor'
      : undefined
  const chosen = guard !== undefined && primary !== undefined ? variable(primary) : undefined
  const to = chosen === undefined ? '' : `&to=${chosen}`
  const sent = guard === undefined ? '' : `?${guard.name}=${guard.value}${to}`
  const members = [
    ...(guard === undefined ? [] : [{ key: guard.name, value: guard.value }]),
    ...query.map(({ name, value, description }) =>
      name === 'to' && chosen !== undefined
        ? { key: name, value: chosen, description }
        : { key: name, value, description, disabled: true },
    ),
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

/** Builds an item of a Postman collection 2.1: the request, and the script that checks its response. */
function requestItem(operation: Operation, component: string): object {
  const body = operation.takesBody ? bodyOf(operation.path, component) : undefined
  const required = requiredVariable(operation)
  return {
    name: nameOf(operation, component),
    event: [
      {
        listen: 'test',
        script: { type: 'text/javascript', exec: testLines(operation, component) },
      },
      ...(required === undefined
        ? []
        : [
            {
              listen: 'prerequest',
              script: {
                type: 'text/javascript',
                exec: [`if (!pm.variables.get('${required}')) pm.execution.skipRequest()`],
              },
            },
          ]),
    ],
    request: {
      description: [operation.summary, operation.description].filter((it) => it !== '').join(' '),
      method: operation.method,
      ...(!operation.login && { auth: { type: 'noauth' } }),
      header: body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }],
      ...(body !== undefined && { body: { mode: 'raw', raw: body, options: { raw: { language: 'json' } } } }),
      url: urlOf(operation, component),
    },
  }
}

/**
 * Writes the script with which Postman and newman check the response. If the call does not apply on the host,
 * only the refusal is checked.
 */
function testLines(operation: Operation, component: string): readonly string[] {
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
  const keepsTask = method === 'POST' && path.endsWith('/switch')
  return [
    status,
    type,
    `${test}('payloadType is ${payloadType}', () => pm.expect(pm.response.json().payloadType).to.eql('${payloadType}'))`,
    `${test}('payloadVersion is 1', () => pm.expect(pm.response.json().payloadVersion).to.eql('1'))`,
    ...(keepsMap
      ? [
          '// A map does not contain states: one with a state is rejected.',
          `if (pm.response.code === 200) pm.collectionVariables.set('${mapVariable(component)}', JSON.stringify(pm.response.json().payload, (key, value) => key === 'state' ? undefined : value))`,
        ]
      : []),
    ...(keepsTask
      ? [
          "if (pm.response.code === 200) pm.collectionVariables.set('task', pm.response.json().payload.taskId)",
        ]
      : []),
  ]
}

/** OpenAPI document of a component, and its listening address. */
type DescribedComponent = {
  readonly component: string
  readonly port: number
  readonly document: unknown
}

/** Initial variables of a collection; never a password. */
type CollectionValues = {
  readonly name: string
  readonly host: string
  readonly user: string
  readonly components: readonly DescribedComponent[]
}

/** Instructions for the first request. */
const description = `Every call of APIv2. Set the variables host, user and password. Set the password only as a current value, which
Postman neither synchronizes nor exports, or as a secret of an environment. Trust the authority of the cluster
(authority.crt): in Postman under Settings, Certificates, CA certificates; newman takes --ssl-extra-ca-certs.
The folders "read" change nothing. The folders "change" change the host: their requests carry i-am-sure=true. You can run
each as a whole, after "read": the calls that bring a component back are last. The calls of a switch are skipped unless
the variable newPrimary is set, no failover unless survivor is, and a stream of events unless follow is set.`

/** Returns true for calls that reverse earlier ones; they run last. */
const reversesEarlierCalls = ({ path }: Operation): boolean => /\/(online|automatic)$/.test(path)

function folders({ component, document }: DescribedComponent): readonly object[] {
  const operations = operationsOf(document)
  const reading = operations.filter(({ method }) => method === 'GET')
  const changing = operations.filter(({ method }) => method === 'POST')
  const inOrder = [
    ...changing.filter((it) => !reversesEarlierCalls(it)),
    ...changing.filter(reversesEarlierCalls),
  ]
  return [
    { name: `${component}: read`, item: reading.map((it) => requestItem(it, component)) },
    { name: `${component}: change`, item: inOrder.map((it) => requestItem(it, component)) },
  ]
}

/** Builds the Postman collection 2.1 of some components; deterministic for the same documents. */
export function postmanCollection(values: CollectionValues): object {
  const { components } = values
  const variables: readonly (readonly [string, string])[] = [
    ['host', values.host],
    ...components.map(({ component, port }) => [`${component}Port`, String(port)] as const),
    ['user', values.user],
    ['password', ''],
    ['service', 'alpha'],
    ['datasource', 'db1'],
    ['newPrimary', ''],
    ['survivor', ''],
    ['follow', ''],
    ['task', ''],
    ['change', ''],
    ['newUser', 'postman'],
    ['newPassword', ''],
    ['newService', 'postman'],
    ['newDatasource', 'postman'],
    ['newDatasourceHost', '192.0.2.1'],
    ...components.map(({ component }) => [mapVariable(component), ''] as const),
  ]
  return {
    info: {
      name: values.name,
      description: description.replaceAll('\n', ' '),
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'basic',
      basic: [
        { key: 'username', value: variable('user'), type: 'string' },
        { key: 'password', value: variable('password'), type: 'string' },
      ],
    },
    variable: variables.map(([key, value]) => ({ key, value, type: 'string' })),
    item: components.flatMap(folders),
  }
}
