import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isProcessRunning } from '../../../src/base/processIdentity.ts'
import type { HostStores } from '../../../src/certificates/hostStores.ts'
import { type ClusterState, withUser } from '../../../src/deployment/state/clusterState.ts'
import { lockState, stateLocks } from '../../../src/deployment/state/lockState.ts'
import { openState, readState, saveState } from '../../../src/deployment/state/openState.ts'
import { StateError } from '../../../src/deployment/state/stateError.ts'
import { Secret } from '../../../src/secrets/secret.ts'

export const runHosts = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'] as const

/** Count of a host's changes, which every file of the state says alike. */
export const countOf = (state: ClusterState, host: string): number => Number(state.machines.get(host) ?? 0)

const storesOf = (pair: readonly HostStores[], count: number): HostStores | undefined =>
  pair[count % pair.length]

/** Returns the hosts of which the files of a state say different counts. */
export const tornHosts = (state: ClusterState): readonly string[] =>
  runHosts.filter((host) => {
    const count = countOf(state, host)
    if (count === 0) return false
    const [pair, stores] = [[state.hosts.get('db1'), state.hosts.get('db2')], state.hosts.get(host)]
    const word = state.users.get(host)?.password?.reveal()
    return word !== `password ${count}` || stores?.chain !== pair[count % 2]?.chain
  })

function changed(state: ClusterState, hosts: readonly string[]): ClusterState {
  const pair = ['db1', 'db2'].flatMap((name) => state.hosts.get(name) ?? [])
  let after = state
  for (const host of hosts) {
    const count = countOf(after, host) + 1
    const stores = storesOf(pair, count)
    after = withUser(after, host, { salt: Buffer.alloc(16, 7), password: new Secret(`password ${count}`) })
    after = { ...after, machines: new Map(after.machines).set(host, String(count)) }
    if (stores !== undefined) after = { ...after, hosts: new Map(after.hosts).set(host, stores) }
  }
  return after
}

const problem = (words: string): void => {
  process.stdout.write(`problem: ${words}\n`)
}

/** Claims a host for this process, which owns it alone by its lock; a process that was killed leaves its claim. */
function claim(claims: string, host: string): void {
  const path = join(claims, host)
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
  } catch {
    const pid = Number(readFileSync(path, 'utf8'))
    if (pid !== 0 && isProcessRunning(pid, undefined))
      problem(`${host} is changed by ${pid} and ${process.pid} at the same time`)
    writeFileSync(path, String(process.pid))
  }
}

const oneOf = (count: number): number => Math.floor(Math.random() * count)

async function run(place: { directory: string; cluster: string }, claims: string): Promise<void> {
  const some = runHosts.filter(() => oneOf(3) === 0)
  const isAll = some.length === 0
  // A record of many names is written in more than one piece.
  const names = [
    ...some,
    ...Array.from({ length: 4000 }, (_, index) => `${process.pid}-${index}.example.com`),
  ]
  const lock = await lockState(place, { operation: 'install', hosts: isAll ? 'all' : names }).catch(
    (error: unknown) => {
      if (error instanceof StateError && error.code === 'locked' && !error.message.includes('not a lock'))
        return undefined
      throw error
    },
  )
  if (lock === undefined) return
  const hosts = isAll ? runHosts : some
  for (const host of hosts) claim(claims, host)
  try {
    const { state } = await openState(place)
    const torn = tornHosts(state)
    if (torn.length > 0) problem(`opened half of a save of ${torn.join(', ')}`)
    const after = changed(state, hosts)
    await saveState({ ...place, before: state, after })
    appendFileSync(join(claims, 'saved'), hosts.map((host) => `${host} ${countOf(after, host)}\n`).join(''))
  } finally {
    for (const host of hosts) rmSync(join(claims, host), { force: true })
    await lock.release()
  }
}

/** Reads as a command that only looks, without a lock. */
async function look(place: { directory: string; cluster: string }): Promise<void> {
  await stateLocks(place)
  const torn = tornHosts((await readState(place))?.state ?? (await openState(place)).state)
  if (torn.length > 0) problem(`read half of a save of ${torn.join(', ')}`)
}

/** Does runs, or looks, until it is ended. */
async function work(): Promise<void> {
  const [, , directory = '', claims = '', kind = ''] = process.argv
  const place = { directory, cluster: 'alpha' }
  mkdirSync(claims, { recursive: true })
  for (;;) {
    try {
      await (kind === 'look' ? look(place) : run(place, claims))
    } catch (error) {
      problem(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    }
    process.stdout.write('did\n')
  }
}

if (process.argv[4] !== undefined && process.argv[1]?.endsWith('stateRun.mjs') === true) void work()
