import type { Command } from 'commander'
import { requireConfirmation } from '../confirmation.ts'
import type { ConnectorChange } from '../connector.ts'
import type { Runner } from '../runner.ts'
import { groups } from './groups.ts'

const among = ['connector'] as const

const descriptions: Readonly<Record<ConnectorChange, string>> = {
  online: 'accept and forward connections; release held ones in order',
  onhold: 'accept new connections and hold them; existing ones continue',
  offline: 'refuse new connections and drain existing ones',
}

/** What reads and changes the connector of the host. */
export function connectorCommand(program: Command, { read, change }: Runner): void {
  const made = program
    .command('connector')
    .helpCommand(false)
    .helpGroup(groups.connector)
    .description('show and change the state of the connector')
  made
    .command('status')
    .description('show the state and the number of connections')
    .action((_options, command: Command) =>
      read(command, async (call) => (await import('../connector.ts')).connectorStatus(call), among),
    )
  for (const [word, description] of Object.entries(descriptions) as [ConnectorChange, string][]) {
    const one = requireConfirmation(made.command(word)).description(description)
    if (word === 'offline') one.option('--immediate', 'close existing connections at once')
    one.action(({ immediate }: { readonly immediate?: boolean }, command: Command) =>
      change(
        command,
        async () => (await import('../connector.ts')).changeConnector(word, immediate === true),
        among,
      ),
    )
  }
}
