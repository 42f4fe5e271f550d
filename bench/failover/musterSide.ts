import { processOf } from '../../test/lab/scenario/hostProcesses.ts'
import { startLosslessCluster, startServer } from '../../test/lab/scenario/losslessCluster.ts'
import { clients, type Side } from './side.ts'

/** Starts a cluster of muster that loses nothing; clients write through its connectors. */
export async function startMuster(): Promise<Side> {
  const lab = await startLosslessCluster()
  return {
    members: lab.members,
    load: (through) => lab.load(clients, through),
    settled: lab.settled,
    lost: async (load) => (await lab.missing(load)).missing[(await lab.primary()).name] ?? [],
    clear: async () => lab.ask(await lab.primary(), 'TRUNCATE shop.load_rows'),
    serverProcesses: (host) => [processOf(host, '/mariadbd')],
    startServer,
    stop: lab.stop,
  }
}
