import { commonRoutes } from '../../contracts/commonRoutes.ts'
import { describeApi } from '../docs/describeApi.ts'
import { docsPage } from '../docs/docsPage.ts'
import { serve } from '../serve.ts'

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
