import type { DashboardEvent, SessionPayload } from '../../src/contracts/dashboard.ts'
import { dashboardPages } from '../../src/contracts/dashboard.ts'
import { atSecond, hostileCluster, largeCluster, start, troubledCluster, wellCluster } from './pictures.ts'
import type { Play } from './standIn.ts'

/** Clusters by the name of a play. */
const plays = {
  all: () => [wellCluster(), troubledCluster()],
  one: () => [troubledCluster()],
  large: () => [largeCluster()],
  hostile: () => [hostileCluster()],
} as const

export type PlayName = keyof typeof plays

export const isPlay = (name: string): name is PlayName => name in plays

/** Returns what a stand-in plays: clusters that stand still, and a person with full rights. */
export function playOf(name: string): Play {
  if (!isPlay(name)) throw new Error(`no play ${name}`)
  const clusters = plays[name]()
  const session = (state: 'login' | 'in'): SessionPayload => ({
    state,
    server: 'muster',
    pages: dashboardPages,
    clusters: clusters.map((it) => ({
      name: it.name,
      user: state === 'in' ? 'grace' : null,
      access: state === 'in' ? 'full' : null,
    })),
  })
  let now = session('in')
  return {
    session: () => now,
    logIn: ({ password }) => {
      if (password === 'wrong') return undefined
      now = session('in')
      return now
    },
    logOut: () => {
      now = session('login')
    },
    snapshot: (): DashboardEvent => ({ kind: 'snapshot', time: start, clusters }),
    host: (cluster, host) => ({
      host,
      certificate: certificateOf(host, 300),
      runs: runs(clusters.find((it) => it.name === cluster)?.hosts.map((it) => it.name) ?? []),
      log: [
        { time: atSecond(-340), component: 'manager', level: 'info', text: 'listening on 10.0.0.11:8090' },
        {
          time: atSecond(-320),
          component: 'connector',
          level: 'info',
          text: 'follows the manager of this host',
        },
        {
          time: atSecond(-44),
          component: 'manager',
          level: 'warn',
          text: 'db3: connect ECONNREFUSED 10.0.0.13:3306',
        },
        { time: atSecond(-43), component: 'manager', level: 'error', text: 'db3 is FAILED: 3 checks failed' },
      ],
    }),
    users: (cluster) => {
      const hosts = clusters.find((it) => it.name === cluster)?.hosts.map((it) => it.name) ?? []
      return {
        hosts,
        users: [
          { user: 'admin', access: hosts.map(() => 'full' as const) },
          { user: 'grafana', access: hosts.map((_, index) => (index === 1 ? null : ('read' as const))) },
          { user: 'oncall', access: hosts.map((_, index) => (index === 2 ? 'full' : 'operate')) },
        ],
        failures: cluster === 'beta' ? [{ host: 'db3', reason: 'unreachable: connect ETIMEDOUT' }] : [],
      }
    },
    certificates: (cluster) => ({
      certificates: (clusters.find((it) => it.name === cluster)?.hosts ?? []).map(({ name: host }, index) =>
        certificateOf(host, index === 0 ? 5 : 20 + index * 70),
      ),
      failures: [],
    }),
    runs: (cluster) => ({
      runs: runs(clusters.find((it) => it.name === cluster)?.hosts.map((it) => it.name) ?? []),
      failures: [],
    }),
    explain: (code) => ({
      code,
      title: 'A replica that can be written',
      blocks: [
        {
          kind: 'text',
          text: 'The replica has read_only switched off. Programs that connect to it directly can write rows that no other server has. It stays in use.',
        },
        { kind: 'text', text: 'Set `read_only` to 1, in its configuration file as well.' },
        { kind: 'code', text: "# on the database server\nmariadb -e 'SET GLOBAL read_only = 1'" },
      ],
    }),
    act: ({ route, params }) =>
      route === 'managerSwitchPlan'
        ? {
            status: 200,
            payload: { service: params.service, from: 'db1', to: 'db2', loss: null, refusals: [] },
          }
        : { status: 200, payload: { changed: true } },
  }
}

const certificateOf = (host: string, days: number) => ({
  host,
  subject: `CN=${host}`,
  issuer: 'CN=alpha authority',
  names: [host, '10.0.0.11', 'localhost'],
  notBefore: atSecond(-86_400 * 60),
  notAfter: atSecond(86_400 * days),
  fingerprint: 'a1b2c3d4'.repeat(8),
})

const runs = (hosts: readonly string[]) =>
  [
    {
      id: '5',
      time: atSecond(-60),
      seconds: null,
      what: 'upgrade',
      by: 'grace',
      at: 'laptop',
      hosts,
      result: 'running',
      detail: null,
    },
    {
      id: '4',
      time: atSecond(-754),
      seconds: 0.04,
      what: 'managerShun alpha/db3',
      by: 'oncall',
      at: 'db1',
      hosts: hosts.slice(0, 1),
      result: 'succeeded',
      detail: null,
    },
    {
      id: '3',
      time: atSecond(-7200),
      seconds: 41,
      what: 'install',
      by: 'grace',
      at: 'laptop',
      hosts,
      result: 'failed',
      detail: 'db3: no route to db3',
    },
    {
      id: '2',
      time: atSecond(-86_400),
      seconds: 93,
      what: 'install',
      by: 'grace',
      at: 'laptop',
      hosts,
      result: 'succeeded',
      detail: null,
    },
    {
      id: '1',
      time: atSecond(-86_400 * 4),
      seconds: 12,
      what: 'cert renew',
      by: 'ci',
      at: 'runner-7',
      hosts,
      result: 'interrupted',
      detail: 'SIGTERM',
    },
  ] as const
