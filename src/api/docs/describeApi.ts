import type { OpenApiDocument } from '../../contracts/openApiTypes.ts'
import { openApiDocument } from '../../contracts/openapi.ts'
import { basePath } from '../../contracts/route.ts'
import type { ApiContext } from '../apiContext.ts'
import type { Call } from '../serve.ts'

/** The OpenAPI document of a component, as the caller reaches it. */
export function describeApi(
  { baseUrl }: Pick<Call, 'baseUrl'>,
  { component, version, routes }: ApiContext,
): OpenApiDocument {
  return openApiDocument({ component, version, routes, server: baseUrl.slice(0, -basePath.length) })
}
