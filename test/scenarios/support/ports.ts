import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

const isFree = (address: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, address, () => server.close(() => resolve(true)))
  })

/** Ports where nobody listens, below those that the system hands to connections by itself. */
export async function freePorts(address: string, count: number): Promise<readonly number[]> {
  const found = new Set<number>()
  while (found.size < count) {
    const port = randomInt(15_000, 32_000)
    if (!found.has(port) && (await isFree(address, port))) found.add(port)
  }
  return [...found]
}
