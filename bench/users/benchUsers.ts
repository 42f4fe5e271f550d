import { missingForLab } from '../../test/lab/support/requirements.ts'
import { startHosts } from '../deploy/hosts.ts'
import { usersAgainstAnsible } from './usersAgainstAnsible.ts'
import { usersTrips } from './usersTrips.ts'

/** The parts, and how many hosts of the lab each wants. */
const parts = { trips: 1, ansible: 10 } as const
type Part = keyof typeof parts
const names: readonly Part[] = ['trips', 'ansible']

/** `npm run bench -- users [trips|ansible]`: round trips of one host, and ten hosts against Ansible. */
export async function benchUsers(named: readonly string[]): Promise<unknown> {
  const unknown = named.filter((name) => !names.some((part) => part === name))
  if (unknown.length > 0) throw new Error(`no part ${unknown.join(', ')}; there are ${names.join(', ')}`)
  const missing = missingForLab()
  if (missing.length > 0) return { skipped: `this needs ${missing.join(', ')}` }
  const wanted = names.filter((part) => named.length === 0 || named.includes(part))
  const defaults = ['rest-api-users: { ops: !file ops-pass }']
  const bench = await startHosts(Math.max(...wanted.map((part) => parts[part])), defaults)
  try {
    const [host] = bench.hosts
    if (host === undefined) throw new Error('a lab without a host')
    const figures: Record<string, unknown> = {}
    if (wanted.includes('trips')) figures.trips = await usersTrips(bench.lab, host)
    if (wanted.includes('ansible')) figures.ansible = await usersAgainstAnsible(bench)
    return figures
  } finally {
    await bench.lab.stop()
  }
}
