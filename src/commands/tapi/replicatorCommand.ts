import type { Command } from 'commander'
import type { ExitCode } from '../exitCodes.ts'
import type { Call } from './prepareCall.ts'
import { changeReplicator, type ReplicatorChange, replicatorChanges, replicatorStatus } from './replicator.ts'
import { isSure, type SureOptions, sure } from './sure.ts'

const descriptions: Readonly<Record<ReplicatorChange, string>> = {
  online: 'start replication; done when it has run for a moment without an error',
  offline: 'stop replication; done when nothing of it runs any more',
  reset: 'make replication that is offline forget how far it has come',
}

/** Makes of a command the one that reads and changes replication. */
export function replicatorCommand(
  made: Command,
  run: (command: Command, action: (call: Call) => Promise<ExitCode>) => Promise<void>,
): Command {
  const what = 'name of one service; all of the host unless given'
  made.description('read and change the replication of the host')
  made
    .command('status')
    .description('show the state of replication')
    .argument('[service]', what)
    .action((service: string | undefined, _options, command: Command) =>
      run(command, (call) => replicatorStatus(call, service)),
    )
  for (const change of replicatorChanges) {
    sure(made.command(change))
      .description(descriptions[change])
      .argument('[service]', what)
      .action((service: string | undefined, written: SureOptions, command: Command) =>
        run(command, (call) => changeReplicator(call, { change, service, iAmSure: isSure(written) })),
      )
  }
  return made
}
