import { commonRoutes } from '../../contracts/commonRoutes.ts'
import type { OpenApiDocument } from '../../contracts/openApiTypes.ts'
import { openApiDocument } from '../../contracts/openapi.ts'
import { basePath } from '../../contracts/route.ts'
import type { ApiContext } from '../apiContext.ts'
import { docsPage } from '../docs/docsPage.ts'
import { type Call, serve } from '../serve.ts'

/** A time as ping writes it, `Mon Mar 10 10:12:18 UTC 2025` (contract.md, "Common to the three components"). */
function pingDate(time: Date): string {
  const [weekday = '', day, month, year, clock] = time.toUTCString().replace(',', '').split(' ')
  return `${weekday} ${month} ${day} ${clock} UTC ${year}`
}

export const ping = serve(commonRoutes.ping, (_call, context) => ({
  message: `Ping test: the ${context.component} answers.`,
  date: pingDate(context.now()),
  hostName: context.hostName,
  pid: context.pid,
  jvmUptime: Math.round(context.uptime()),
}))

/** Returns the OpenAPI document of a component, as the caller reaches it. */
function describeApi(
  { baseUrl }: Pick<Call, 'baseUrl'>,
  { component, version, routes }: ApiContext,
): OpenApiDocument {
  return openApiDocument({ component, version, routes, server: baseUrl.slice(0, -basePath.length) })
}

export const version = serve(commonRoutes.version, (_call, context) => ({
  version: context.version,
  component: context.component,
  node: context.node,
}))

export const uris = serve(commonRoutes.uris, (_call, { routes }) =>
  routes.map(({ method, path }) => ({ method, path })),
)

export const openapi = serve(commonRoutes.openapi, describeApi)

export const docs = serve(commonRoutes.docs, (call, context) => docsPage(describeApi(call, context)))
