import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execute } from '../../test/lab/support/execute.ts'
import { runConnected } from './connectedRun.ts'
import { makeLarge, runLarge } from './sizeRun.ts'

const counts = [500, 1000, 2500, 5000]

const transports = ['builtin', 'openssh'] as const

/** Milliseconds of a round trip, and hosts at a time, of the largest cluster. */
const ways = [10, 30, 100].map((forks) => ({ forks, delay: 100 }))

/**
 * `npm run bench -- size [databases] [builtin | openssh] [HOSTS …]`: a run without a change on so many simulated hosts, each in a process of its own;
 * memory and time, and the largest once more with a delay and other numbers of hosts at a time. With a transport,
 * `muster install` itself runs, over a connection to each host.
 */
export async function benchSize(parts: readonly string[]): Promise<unknown> {
  const [what, folder = '', count = '', delay = '0', forks] = parts
  const databases = parts.includes('databases')
  if (what === 'make') return makeLarge(folder, { count: Number(count), databases })
  if (what === 'run') {
    return runLarge(folder, {
      delay: Number(delay),
      ...(forks === undefined ? {} : { forks: Number(forks) }),
    })
  }
  const transport = transports.find((name) => parts.includes(name))
  const given = parts.map(Number).filter((part) => part > 0)
  const wanted = given.length === 0 ? counts : given
  const figures: unknown[] = []
  for (const hosts of wanted) {
    const place = mkdtempSync(join(tmpdir(), 'muster-size-'))
    try {
      await child('make', place, hosts, ...(databases ? ['databases'] : []))
      if (transport !== undefined) {
        figures.push(await runConnected(place, { count: hosts, databases, transport }))
        continue
      }
      const runs =
        hosts === Math.max(...wanted) ? [{ forks: 30, delay: 0 }, ...ways] : [{ forks: 30, delay: 0 }]
      for (const way of runs) figures.push(await child('run', place, hosts, way.delay, way.forks))
    } finally {
      rmSync(place, { recursive: true })
    }
  }
  return figures
}

/** Runs a part in a process of its own: its memory is its own, too. */
async function child(...parts: readonly (string | number)[]): Promise<unknown> {
  const program = process.argv[1] ?? ''
  const { code, stdout, stderr } = await execute(process.execPath, [program, 'size', ...parts.map(String)], {
    env: process.env,
    timeout: 3_600_000,
  })
  if (code !== 0) throw new Error(stderr.slice(-2000))
  return stdout.trim() === 'undefined' ? undefined : JSON.parse(stdout)
}
