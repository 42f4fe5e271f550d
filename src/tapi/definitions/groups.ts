/** Headings below which --help lists the commands. */
export const groups = {
  host: 'The host:',
  manager: 'The manager:',
  connector: 'The connector:',
  replicator: 'The replicator:',
  map: 'The services map of manager or connector:',
  users: 'Users of the host:',
  any: 'Any component:',
  tapi: 'tapi itself:',
} as const
