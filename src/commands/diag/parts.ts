import type { ExitCode } from '../../cli/exitCodes.ts'
import type { DiagPart } from '../../output/deployment/diag.ts'
import type { ClusterOptions } from '../../session/openCluster.ts'

/** What one command of ours says, as a file of the archive. */
export type Told = DiagPart & {
  /** Whether it goes to the hosts; it is asked only about those that were reached. */
  readonly reaching: boolean
  readonly run: (options: ClusterOptions) => Promise<ExitCode>
}

/** In the order of the archive. */
export const told: readonly Told[] = [
  {
    path: 'config.yaml',
    what: 'the files, as config --scrub prints them',
    reaching: false,
    run: async (options) => (await import('../scrub.ts')).scrub(options),
  },
  {
    path: 'settings.txt',
    what: 'what every host gets, and where from',
    reaching: false,
    run: async (options) =>
      (await import('../config.ts')).config({ ...options, hosts: [], origin: true, format: 'text' }),
  },
  {
    path: 'check.txt',
    what: 'what stands in the way on the hosts',
    reaching: true,
    run: async (options) =>
      (await import('../check.ts')).check({
        ...options,
        json: false,
        strict: false,
        fix: false,
        yes: false,
        lockWait: 0,
      }),
  },
  {
    path: 'status.txt',
    what: 'every host and component as it is',
    reaching: true,
    run: async (options) =>
      (await import('../status.ts')).status({ ...options, component: undefined, json: false }),
  },
  {
    path: 'plan.txt',
    what: 'what install would change',
    reaching: true,
    run: async (options) =>
      (await import('../plan.ts')).plan({
        ...options,
        json: false,
        runtimeFile: undefined,
        replaced: [],
        release: undefined,
        out: undefined,
      }),
  },
  {
    path: 'logs.txt',
    what: 'the last 200 lines of the components of each host',
    reaching: true,
    run: async (options) =>
      (await import('../logs.ts')).logs({
        ...options,
        component: undefined,
        since: undefined,
        lines: '200',
        json: false,
      }),
  },
  {
    path: 'runs.json',
    what: 'the runs that this state directory knows',
    reaching: false,
    run: async (options) => (await import('../audit.ts')).audit({ ...options, id: undefined, json: true }),
  },
]

/** All that the archive has, for people. */
export const parts: readonly DiagPart[] = [
  { path: 'versions.json', what: 'of muster, Node.js and this machine' },
  ...told,
  { path: 'hosts/', what: 'facts, the last changes and changing calls of each host' },
]
