import { type Operation, operationsOf } from './operations.ts'
import { mapVariable, requestItem, variable } from './request.ts'

/** OpenAPI document of a component, and its listening address. */
export type DescribedComponent = {
  readonly component: string
  readonly port: number
  readonly document: unknown
}

/** Initial variables of a collection; never a password. */
export type CollectionValues = {
  readonly name: string
  readonly host: string
  readonly user: string
  readonly components: readonly DescribedComponent[]
}

/** Instructions for the first request. */
const description = `Every call of APIv2. Fill the variables host, user and password, the password as a current value only, which
Postman neither synchronizes nor exports, or as a secret of an environment. Trust the authority of the cluster
(authority.crt): in Postman under Settings, Certificates, CA certificates; newman takes --ssl-extra-ca-certs.
The folders "read" change nothing. The folders "change" change the host: their requests carry i-am-sure=true and stand in an
order in which they can be run as a whole, after "read"; what brings a component back comes last.`

/** Returns true for calls that reverse earlier ones; they run last. */
const bringsBack = ({ path }: Operation): boolean => /\/(online|automatic)$/.test(path)

function folders({ component, document }: DescribedComponent): readonly object[] {
  const operations = operationsOf(document)
  const reading = operations.filter(({ method }) => method === 'GET')
  const changing = operations.filter(({ method }) => method === 'POST')
  const inOrder = [...changing.filter((it) => !bringsBack(it)), ...changing.filter(bringsBack)]
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
