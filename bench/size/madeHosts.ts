import { closeSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { Target } from '../../src/deployment/target.ts'
import { printedFacts } from './printedFacts.ts'

/** Stands for the nonce of a run, which has as many characters. */
const anyNonce = '0'.repeat(32)

/** Writes what each host prints of itself into a folder. */
export function saveHosts(folder: string, targets: readonly Target[]): void {
  const file = openSync(join(folder, 'facts'), 'w')
  const places = new Map<string, readonly [number, number]>()
  let at = 0
  for (const target of targets) {
    const bytes = Buffer.from(printedFacts(target, anyNonce))
    places.set(target.host.name, [at, bytes.length])
    at += writeSync(file, bytes)
  }
  closeSync(file)
  writeFileSync(join(folder, 'places'), serialize(places))
}

/** Reads what a host prints of itself. Of a folder, none of it is kept in memory. */
export function savedHosts(folder: string): (host: string, nonce: string) => string {
  const places: ReadonlyMap<string, readonly [number, number]> = deserialize(
    readFileSync(join(folder, 'places')),
  )
  const file = openSync(join(folder, 'facts'), 'r')
  return (host, nonce) => {
    const [at, size] = places.get(host) ?? [0, 0]
    const bytes = Buffer.alloc(size)
    readSync(file, bytes, 0, size, at)
    return bytes.toString().replaceAll(anyNonce, nonce)
  }
}
