import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { ServerSettings } from '../../src/contracts/serverSettings.ts'
import { serverProgram } from '../support/serverProgram.ts'

const reportHeap = fileURLToPath(new URL('reportHeap.cjs', import.meta.url))

/**
 * Options of Node.js. Nothing is compiled beyond bytecode: machine code and what belongs to it go on growing by 3 to
 * 4 MB an hour for as long as V8 finds functions to optimize, while no object is added, and would hide a leak.
 */
const options = ['--expose-gc', '--no-opt', '--no-sparkplug', '--no-flush-bytecode']

/** A component in a process of its own. */
export type Program = {
  readonly settings: ServerSettings
  /** The connector's port for clients. */
  readonly port: number
  /** Bytes that are in use once everything is collected that can be. */
  heap(): Promise<number>
}

/** Starts a component; resolves when it serves. It ends with the test. */
export async function startProgram(settings: ServerSettings): Promise<Program> {
  const file = `${settings.socket}.json`
  writeFileSync(file, JSON.stringify(settings))
  const child: ChildProcess = spawn(
    process.execPath,
    [...options, '--require', reportHeap, serverProgram, 'serve', '--settings', file],
    { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], env: {} },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  let port = 0
  await new Promise<void>((resolve, reject) => {
    if (!child.stdout) throw new Error('no pipe')
    createInterface({ input: child.stdout }).on('line', (line) => {
      const told = JSON.parse(line)
      // The first of two leads to the primary.
      if (told.msg === 'accepting clients' && port === 0) port = told.port
      if (told.msg === 'serving') resolve()
      // What goes wrong is told where the figures are.
      if (told.level !== 'info' && told.level !== 30) process.stdout.write(`${settings.component}: ${line}\n`)
    })
    child.once('exit', (code) => reject(new Error(`${settings.component} ended with ${code}`)))
  })
  return {
    settings,
    port,
    heap: async () => {
      child.send('heap')
      const [{ bytes }] = await once(child, 'message')
      return bytes
    },
  }
}
