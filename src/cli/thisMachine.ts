import { hostname, networkInterfaces } from 'node:os'

/** By what a host of the records can be told to be the machine that tapi runs on. */
export type ThisMachine = { readonly name: string; readonly addresses: readonly string[] }

/** The machine as it is now. */
export function thisMachine(): ThisMachine {
  const interfaces = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  return { name: hostname(), addresses: ['localhost', ...interfaces.map(({ address }) => address)] }
}
