/** The parts of ssh2 that a client needs: its server, its SFTP server and its HTTP agents are not loaded. */
declare module 'ssh2/lib/client.js' {
  import { Client } from 'ssh2'

  export = Client
}

declare module 'ssh2/lib/agent.js' {
  import { createAgent } from 'ssh2'

  const agents: { readonly createAgent: typeof createAgent }
  export = agents
}

declare module 'ssh2/lib/protocol/keyParser.js' {
  import { utils } from 'ssh2'

  const parser: Pick<typeof utils, 'parseKey'>
  export = parser
}
