import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { build } from 'esbuild'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { writesIn } from '../support/writeUsers.ts'

const wanted = 1000
const kills = 25

/** Numbers from 0 to 1, the same on every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

it('the user file is valid at every moment of a thousand writes by killed writers', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'users', 'users.json')
  mkdirSync(join(folder, 'users'))
  const program = join(folder, 'writeUsers.mjs')
  const entry = new URL('../support/writeUsers.ts', import.meta.url).pathname
  await build({ entryPoints: [entry], outfile: program, bundle: true, platform: 'node', format: 'esm' })
  const random = seeded(4)
  let told = 0
  let isOver = false

  /** Lets a writer go on; kills it somewhere within the write after so many. Says whether it was killed. */
  async function run(until: number): Promise<boolean> {
    const writer = spawn(process.execPath, [program, path, String(wanted)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void writer.kill('SIGKILL'))
    const ended = once(writer, 'exit')
    for await (const line of createInterface({ input: writer.stdout })) {
      // A write is told when it is on disk, and each of them once.
      expect(Number(line)).toBe(Math.max(told + 1, Number(line)))
      expect(Number(line)).toBeLessThanOrEqual(told + 2)
      told = Number(line)
      if (told !== until) continue
      // time: a random moment of the next write.
      await wait(random() * 3)
      writer.kill('SIGKILL')
    }
    const [code, signal] = await ended
    if (signal === null) expect(code).toBe(0)
    return signal === 'SIGKILL'
  }

  const reader = (async () => {
    let seen = 0
    let reads = 0
    while (!isOver) {
      const before = told
      if (existsSync(path)) {
        const writes = writesIn(readFileSync(path, 'utf8'))
        expect(writes).toBeGreaterThanOrEqual(Math.max(seen, before))
        seen = writes
        reads += 1
      }
      // time: a rest between two reads.
      await wait(1)
    }
    return reads
  })()

  const writing = (async () => {
    let killed = 0
    let locksLeft = 0
    for (let part = 1; part <= kills; part += 1) {
      const until = Math.floor(((part - random()) * wanted) / kills)
      if (await run(Math.max(until, told + 1))) killed += 1
      if (existsSync(`${path}.lock`)) locksLeft += 1
    }
    await run(Number.POSITIVE_INFINITY)
    return { killed, locksLeft }
  })().finally(() => {
    isOver = true
  })

  const [{ killed, locksLeft }, reads] = await Promise.all([writing, reader])
  expect(writesIn(readFileSync(path, 'utf8'))).toBe(wanted)
  expect(readdirSync(join(folder, 'users'))).toEqual(['users.json'])
  // Otherwise nothing was tried here.
  expect([killed > kills / 2, locksLeft > 0, reads > kills]).toEqual([true, true, true])
})
