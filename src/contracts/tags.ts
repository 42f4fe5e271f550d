/** Groups of calls in the documentation, in the order in which it shows them, and what they are for. */
export const tags = {
  Status: 'State of the manager, of the services and of their data sources. Changes nothing.',
  Services: 'Takes all data sources of a service offline, or brings them online.',
  'Data sources': 'Changes the state of one data source.',
  Policies: 'Sets what the manager does by itself.',
  Connector: 'State of the connector, and what it does with new connections of clients.',
  Replication: 'State of the replication on this host; starts, stops and resets it.',
  'Services map': 'Services, and the data sources that belong to each.',
  Users: 'Users of the REST APIs of this host. Each host has users of its own.',
  Server: 'The process that answers: its version, and every call that it takes.',
  Health: 'For load balancers and monitoring.',
} as const

export type Tag = keyof typeof tags
