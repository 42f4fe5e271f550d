import type { LabHost } from '../../test/lab/support/labTypes.ts'
import type { Side } from './side.ts'

type Fault = {
  readonly strike: (side: Side, host: LabHost) => Promise<unknown>
  readonly repair: (side: Side, host: LabHost) => Promise<unknown>
}

async function signal(side: Side, host: LabHost, name: NodeJS.Signals): Promise<void> {
  for (const pid of side.serverProcesses(host)) {
    try {
      process.kill(pid, name)
    } catch (error) {
      // A process of one connection may have ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** Faults of the primary, and what is done afterwards. */
export const faults = {
  'server killed': {
    strike: (side, host) => signal(side, host, 'SIGKILL'),
    repair: (side, host) => side.startServer(host),
  },
  'server hangs': {
    strike: (side, host) => signal(side, host, 'SIGSTOP'),
    repair: (side, host) => signal(side, host, 'SIGCONT'),
  },
  'link of the host cut': {
    strike: (_side, host) => host.unplug(),
    repair: (_side, host) => host.plugIn(),
  },
  'power of the host lost': {
    strike: (_side, host) => host.kill(),
    repair: async (side, host) => {
      await host.boot()
      await side.startServer(host)
    },
  },
} as const satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof faults
