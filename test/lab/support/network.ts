import { randomInt } from 'node:crypto'
import { execute, succeed } from './execute.ts'

/** A bridge of this machine that the hosts of one lab hang on; nothing is routed beyond it. */
export type Network = {
  readonly bridge: string
  /** The address of the host with this number, 0 to 200. */
  address(number: number): string
}

const size = 24

/** Whether an IPv4 network of this machine's routing table touches 10.b.c.0/24. */
function taken(routes: string, prefix: string): boolean {
  const destinations = routes.split('\n').map((line) => line.trim().split(/\s+/)[0] ?? '')
  return destinations.some((destination) => destination.startsWith(`${prefix}.`))
}

/** Makes a bridge with a subnet of 10.0.0.0/8 that this machine has no route to. */
export async function createNetwork(bridge: string): Promise<Network> {
  const routes = await succeed('ip', ['-4', 'route', 'show', 'table', 'all'])
  const free = () => `10.${randomInt(64, 192)}.${randomInt(0, 256)}`
  let prefix = free()
  while (taken(routes, prefix)) prefix = free()
  await succeed('ip', ['link', 'add', bridge, 'type', 'bridge'])
  await succeed('ip', ['address', 'add', `${prefix}.1/${size}`, 'dev', bridge])
  await succeed('ip', ['link', 'set', bridge, 'up'])
  return { bridge, address: (number) => `${prefix}.${10 + number}` }
}

/** Removes a lab's bridge; there need not be one. */
export async function removeNetwork(bridge: string): Promise<void> {
  const known = await execute('ip', ['link', 'show', bridge])
  if (known.code === 0) await succeed('ip', ['link', 'delete', bridge])
}
