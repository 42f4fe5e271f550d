import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { components } from '../../src/contracts/component.ts'
import { resident } from './processes.ts'
import { ask, startComponent } from './servers.ts'

const megabyte = 1_000_000
const limit = 70

/** How long a component was idle when its memory is looked at, in milliseconds. */
const idle = 5000

/** Resident memory of an idle component in MB after a few calls with a login. */
async function idleMemory(options: Parameters<typeof startComponent>[0]): Promise<number> {
  const { child, pid, port } = await startComponent(options)
  for (let call = 0; call < 5; call += 1) {
    const { status } = await ask(port)
    if (status !== 200) throw new Error(`the ${options.component} answered ${status}`)
  }
  await wait(idle)
  const megabytes = Number((resident(pid) / megabyte).toFixed(1))
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  return megabytes
}

/**
 * Memory of each component, started as on a host: with the Node.js that runs this, and with another one that
 * MUSTER_BENCH_NODE names, such as the runtime that is sent to hosts.
 */
export async function memoryOfComponents(folder: string): Promise<unknown> {
  const runtimes = [process.execPath, process.env.MUSTER_BENCH_NODE ?? []].flat()
  const table: Record<string, Record<string, number>> = {}
  for (const runtime of runtimes) {
    if (!existsSync(runtime)) throw new Error(`MUSTER_BENCH_NODE: there is no ${runtime}`)
    const row: Record<string, number> = {}
    for (const component of components) {
      row[component] = await idleMemory({ folder, component, node: [runtime] })
    }
    table[runtime === process.execPath ? process.version : runtime] = row
  }
  return { megabytesIdle: table, limit: `at most ${limit}` }
}
