import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports that the system hands out by itself: there a port that is free stays free. */
const range = { first: 15_000, end: 32_000 }
/** Each worker of the tests has a part of its own: none is given a port at which another is about to listen. */
const workers = 4
const size = Math.floor((range.end - range.first) / workers)
const first = range.first + size * (Number(process.env.VITEST_POOL_ID ?? 0) % workers)
const given = new Set<number>()

const isFree = (address: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, address, () => server.close(() => resolve(true)))
  })

/** A port at which nobody listens, and at which only who asked for it will. */
export async function freePort(address = '127.0.0.1'): Promise<number> {
  for (;;) {
    const port = randomInt(first, first + size)
    if (given.has(port)) continue
    given.add(port)
    if (await isFree(address, port)) return port
  }
}
