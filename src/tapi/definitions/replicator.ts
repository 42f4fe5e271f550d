import type { Command } from 'commander'
import { requireConfirmation } from '../confirmation.ts'
import type { ReplicatorChange } from '../replicator.ts'
import type { Runner } from '../runner.ts'
import { groups } from './groups.ts'

const among = ['replicator'] as const

const descriptions: Readonly<Record<ReplicatorChange, string>> = {
  online: 'start replication and wait until it runs without an error',
  offline: 'stop replication and wait until it has stopped',
  reset: 'reset the replication position; replication must be offline',
}

/** What reads and changes the replication of the host. */
export function replicatorCommand(program: Command, { read, change }: Runner): void {
  const what = 'name of a service (default: all of the host)'
  const made = program
    .command('replicator')
    .helpCommand(false)
    .helpGroup(groups.replicator)
    .description('show and change the replication of the host')
  made
    .command('services')
    .description('list the replication services')
    .action((_options, command: Command) =>
      read(command, async (call) => (await import('../replicator.ts')).replicatorServices(call), among),
    )
  made
    .command('status')
    .description('show the state of replication')
    .argument('[service]', what)
    .action((service: string | undefined, _options, command: Command) =>
      read(
        command,
        async (call) => (await import('../replicator.ts')).replicatorStatus(call, service),
        among,
      ),
    )
  for (const [word, description] of Object.entries(descriptions) as [ReplicatorChange, string][]) {
    requireConfirmation(made.command(word))
      .description(description)
      .argument('[service]', what)
      .action((service: string | undefined, _options, command: Command) =>
        change(
          command,
          async () => (await import('../replicator.ts')).changeReplicator(word, service),
          among,
        ),
      )
  }
}
