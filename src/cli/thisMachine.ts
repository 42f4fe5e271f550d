import { hostname, networkInterfaces } from 'node:os'

/** Name and addresses by which a recorded host is recognized as this machine. */
export type ThisMachine = { readonly name: string; readonly addresses: readonly string[] }

export function thisMachine(): ThisMachine {
  const interfaces = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  return { name: hostname(), addresses: ['localhost', ...interfaces.map(({ address }) => address)] }
}
