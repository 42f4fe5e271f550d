import type { Command } from 'commander'
import type { ReplicatorChange } from '../replicator.ts'
import type { Runner } from '../runner.ts'
import { sure } from '../sure.ts'
import { groups } from './groups.ts'

const among = ['replicator'] as const

const descriptions: Readonly<Record<ReplicatorChange, string>> = {
  online: 'start replication; done when it has run for a moment without an error',
  offline: 'stop replication; done when nothing of it runs any more',
  reset: 'make replication that is offline forget how far it has come',
}

/** What reads and changes the replication of the host. */
export function replicatorCommand(program: Command, { read, change }: Runner): void {
  const what = 'name of one service; all of the host unless given'
  const made = program
    .command('replicator')
    .helpCommand(false)
    .helpGroup(groups.replicator)
    .description('read and change the replication of the host')
  made
    .command('services')
    .description('list the replication services; none where the host has no database')
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
    sure(made.command(word))
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
