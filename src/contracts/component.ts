/** The three kinds of component, in the order in which everything lists them (specification section 1). */
export const components = ['manager', 'connector', 'replicator'] as const

export type Component = (typeof components)[number]

/** TCP port of each API unless an option changes it (specification section 1, "Default ports"). */
export const defaultPorts: Readonly<Record<Component, number>> = {
  manager: 8090,
  connector: 8096,
  replicator: 8097,
}

/** Whether a word names a component. */
export const isComponent = (word: string): word is Component =>
  (components as readonly string[]).includes(word)
