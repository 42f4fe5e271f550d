import { setTimeout as delay } from 'node:timers/promises'
import { processesOf } from '../../test/lab/scenario/hostProcesses.ts'
import { eventually } from '../../test/lab/support/eventually.ts'
import { startLab } from '../../test/lab/support/lab.ts'
import { hostOf, type LabHost } from '../../test/lab/support/labTypes.ts'
import { missingRows, startWriteLoad } from '../../test/support/writeLoad.ts'
import { ports, type Settings, writePatroniFiles } from './patroniFiles.ts'
import { askPostgres, openPostgres } from './postgres.ts'
import { clients, type Side } from './side.ts'

const names = ['pg1', 'pg2', 'pg3'] as const
const packages = ['patroni', 'etcd-server', 'etcd-client', 'postgresql-15', 'haproxy'] as const

/** A member as `GET /cluster` of Patroni's REST API shows it. */
type Member = { readonly name: string; readonly role: string; readonly state: string }

async function must(host: LabHost, script: string): Promise<string> {
  const { code, stdout, stderr } = await host.run(script, { timeout: 120_000 })
  if (code !== 0) throw new Error(`${script} ended with ${code} on ${host.name}:\n${stdout}${stderr}`)
  return stdout
}

const rest = async (host: LabHost, path: string, init: RequestInit = {}): Promise<unknown> => {
  // time: a host that is cut off gives no answer.
  const signal = AbortSignal.timeout(5000)
  const response = await fetch(`http://${host.address}:${ports.rest}/${path}`, { ...init, signal })
  if (!response.ok) throw new Error(`${host.name} answers /${path} with ${response.status}`)
  return response.json()
}

/** Starts three hosts with etcd, Patroni, PostgreSQL and HAProxy; clients write through HAProxy. */
export async function startPatroni(
  first: Settings,
): Promise<Side & { readonly configure: (next: Settings) => Promise<void> }> {
  const lab = await startLab({ hosts: names, packages, suite: 'bookworm' })
  const members = names.map((name) => hostOf(lab, name))
  let settings = first
  let loads = 0
  const at = (host: LabHost, port: number = ports.postgres) =>
    ({ host: host.address, port, user: 'postgres', database: 'postgres' }) as const

  async function leader(): Promise<LabHost> {
    const seen = await Promise.all(
      members.map(async (it) => (await rest(it, 'cluster')) as { readonly members: readonly Member[] }),
    )
    const roles = seen.map((it) =>
      it.members.map(({ name, role, state }) => `${name} ${role} ${state}`).sort(),
    )
    const [one = []] = roles
    const standby = settings.synchronous_mode ? 'sync_standby' : 'replica'
    const found = one.find((it) => it.endsWith(' leader running'))?.split(' ')[0]
    const replicas = one.filter((it) => / (?:running|streaming)$/.test(it) && !it.includes(' leader '))
    const isWhole = replicas.length === 2 && replicas.some((it) => it.includes(` ${standby} `))
    if (found === undefined || !isWhole || roles.some((it) => `${it}` !== `${one}`)) {
      throw new Error(JSON.stringify(roles))
    }
    return hostOf(lab, found)
  }
  async function whole(): Promise<LabHost> {
    const found = await leader()
    const streaming = await askPostgres(
      at(found),
      "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'",
    )
    const synchronous = streaming.filter(({ sync_state }) => sync_state === 'sync').length
    if (streaming.length !== 2 || synchronous !== (settings.synchronous_mode ? 1 : 0)) {
      throw new Error(`${streaming.length} replicas, ${synchronous} synchronous`)
    }
    for (const it of members) {
      const [row] = await askPostgres(at(it, ports.writes), 'SELECT host(inet_server_addr()) AS it')
      if (row?.it !== found.address) throw new Error(`HAProxy of ${it.name} leads to ${row?.it}`)
    }
    await must(found, 'etcdctl endpoint health --cluster')
    return found
  }
  const settled = (): Promise<LabHost> =>
    eventually('a whole cluster of Patroni', whole, { timeout: 300_000, every: 250 })

  try {
    for (const it of members) {
      await must(
        it,
        'systemctl disable --now patroni etcd haproxy postgresql; systemctl mask --now pg_receivewal@15-main; pg_dropcluster --stop 15 main; rm -rf /var/lib/etcd/*',
      )
      writePatroniFiles(it, members, first)
    }
    // Each waits until most of them run.
    await Promise.all(members.map((it) => must(it, 'systemctl enable --now etcd')))
    for (const it of members) await must(it, 'systemctl enable --now patroni haproxy')
    const primary = await settled()
    await askPostgres(at(primary), 'CREATE TABLE load_rows (client INT, seq INT, PRIMARY KEY (client, seq))')
  } catch (error) {
    await lab.stop()
    throw error
  }
  return {
    members,
    settled,
    load: (through) => {
      loads += 1
      return startWriteLoad({
        places: through.map((it) => ({ ...at(it, ports.writes), password: '' })),
        clients,
        first: loads * 1000,
        open: openPostgres,
      })
    },
    lost: async (load) => {
      const rows = await askPostgres(at(await settled()), 'SELECT client, seq FROM load_rows')
      return missingRows(load, new Map(rows.map(({ client, seq }) => [`${client}:${seq}`, 0])))
    },
    clear: async () => askPostgres(at(await settled()), 'TRUNCATE load_rows'),
    serverProcesses: (host) => processesOf(host, ([program = '']) => /(?:^|\/)postgres(?::|$)/.test(program)),
    // Patroni does it.
    startServer: async () => undefined,
    configure: async (next) => {
      const body = JSON.stringify(next)
      await rest(await settled(), 'config', { method: 'PATCH', body })
      // time: a member reads it in its next loop, and a lease that is under way ends by the old one.
      await delay(2 * 1000 * settings.loop_wait)
      settings = next
      await settled()
    },
    stop: () => lab.stop(),
  }
}
