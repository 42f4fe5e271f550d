import { listOf } from '../../base/words.ts'
import { apiRoutes } from '../../contracts/apiRoutes.ts'
import { type Component, components, defaultPorts } from '../../contracts/component.ts'
import { accessFor, basePath, guardParameter, type Route } from '../../contracts/route.ts'

/** A call of the APIs, for people. */
export type CallExplanation = {
  readonly path: string
  readonly method: Route['method']
  readonly components: readonly Component[]
  /** A sentence. */
  readonly title: string
  /** Paragraphs of one line each. Names, values and commands are in backquotes. */
  readonly about: readonly string[]
}

/** Explains the calls of a path such as `/metrics`, also without its slash or the prefix that most calls have. */
export function callsNamed(word: string): readonly CallExplanation[] {
  const path = `/${word.replace(/^\//, '')}`
  const served = components.flatMap((component) =>
    Object.values(apiRoutes[component])
      .filter((route) => route.path === path || route.path === `${basePath}${path}`)
      .map((route) => ({ component, route })),
  )
  const routes = new Map(served.map(({ route }) => [`${route.method} ${route.path}`, route]))
  return [...routes.values()].map((route) =>
    explainCall(
      route,
      served.filter((one) => one.route.name === route.name).map(({ component }) => component),
    ),
  )
}

function explainCall(route: Route, servedBy: readonly Component[]): CallExplanation {
  const { method, path, summary, auth, guard } = route
  const ports = servedBy.map((component) => String(defaultPorts[component]))
  const options = servedBy.map((component) => `\`${component}-rest-api-port\``)
  const access = accessFor(route)
  const login = {
    none: 'It needs no login.',
    optional: 'It needs no login; with one it tells more.',
    bootstrap: 'It needs the login of a user with the access level `full`, once the host has users.',
    basic: `It needs the login of a user of the host, by HTTP Basic, ${access === 'read' ? 'of any access level: `read` suffices' : `with the access level \`${access}\``}.`,
    host: 'It needs the login of a user of the host, or the certificate of a host.',
  }[auth]
  const words = [
    'curl',
    ...(method === 'POST' ? ['-X POST'] : []),
    ...(auth === 'none' ? [] : ['--user USER']),
    '--cacert .muster/CLUSTER/authority.crt',
    `'https://HOST:${ports[0]}${path}${guard ? `?${guardParameter}=true` : ''}'`,
  ]
  return {
    path,
    method,
    components: servedBy,
    title: summary,
    about: [
      `It is \`${method} ${path}\` of the ${listOf(servedBy)}, on port ${listOf(ports)} unless the file changes that (${listOf(options)}).`,
      `${login} Clients verify the certificate with the authority of the cluster, which the state directory has:`,
      `\`${words.join(' ')}\``,
      ...(route.request === null ? [] : ['It takes a JSON body, which `/docs` of the same API describes.']),
    ],
  }
}
