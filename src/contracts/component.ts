/** The three kinds of component, in the order in which everything lists them (specification section 1). */
export const components = ['manager', 'connector', 'replicator'] as const

export type Component = (typeof components)[number]

/** TCP port of each API unless an option changes it (specification section 1, "Default ports"). */
export const defaultPorts: Readonly<Record<Component, number>> = {
  manager: 8090,
  connector: 8096,
  replicator: 8097,
}

/** TCP port of the private channel between hosts unless an option changes it. */
export const defaultClusterPort = 8091

/** Returns true if a word names a component. */
export const isComponent = (word: string): word is Component =>
  (components as readonly string[]).includes(word)

/** Describes a component without a configured database, for logs, responses and people. */
export const withoutDatabase = {
  manager: 'no database configured: the manager serves users and status only',
  connector:
    'no database configured: the connector opens no port for clients and serves users and status only',
  replicator:
    'no database configured: the replicator controls no replication and serves users and status only',
} as const satisfies Readonly<Record<Component, string>>

/** Returns true if a component is given data sources, a port for clients or a database of its own. */
export function hasDatabase(given: {
  readonly component: Component
  readonly services: readonly { readonly datasources: readonly unknown[] }[]
  readonly proxy?: unknown
  readonly database?: unknown
}): boolean {
  switch (given.component) {
    case 'manager':
      return given.services.some(({ datasources }) => datasources.length > 0)
    case 'connector':
      return given.proxy !== undefined
    case 'replicator':
      return given.database !== undefined
  }
}
