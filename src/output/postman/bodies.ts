/** A variable of the collection, as Postman replaces it. */
export const variable = (name: string): string => `{{${name}}}`

const payload = (payloadType: string, value: unknown): string =>
  JSON.stringify({ payloadType, payloadVersion: '1', payload: value }, null, 2)

/** Name of the variable in which reading the map of a component leaves it. */
export const mapVariable = (component: string): string => `${component}Map`

/**
 * The body of a call, by the last word of its path. The whole map is the one that was read before: without it the
 * body is no JSON, and no map is replaced by an empty one.
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
