import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'

const started = new Set<ChildProcess>()

/** Starts a program on the first core, with this environment alone; what it prints goes where it is told. */
export function onFirstCore(
  command: readonly string[],
  more: { readonly env?: NodeJS.ProcessEnv; readonly output?: 'pipe' | number } = {},
): ChildProcess {
  const { env = {}, output = 'pipe' } = more
  const stdio = ['ignore', output, 'inherit'] as const
  const child = spawn('/usr/bin/taskset', ['-c', '0', ...command], { stdio: [...stdio], env })
  started.add(child)
  child.once('exit', () => started.delete(child))
  return child
}

/** Ends all programs that were started. */
export async function endAll(): Promise<void> {
  await Promise.all(
    [...started].map((child) => {
      const ended = once(child, 'exit')
      // Not harder than that: nginx would leave its worker behind.
      child.kill('SIGTERM')
      return ended
    }),
  )
}

/** The first line that a program prints. */
export async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('no pipe')
  const lines = createInterface({ input: child.stdout })
  return new Promise((resolve, reject) => {
    lines.once('line', resolve)
    child.once('exit', (code) => reject(endedEarly(child, code)))
  })
}

const endedEarly = ({ spawnargs }: ChildProcess, code: number | null): Error =>
  new Error(`${spawnargs.slice(3).join(' ')} ended with ${code}`)

/** Waits until a server that was just started answers. */
export async function untilItAnswers(child: ChildProcess, ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw endedEarly(child, child.exitCode)
    try {
      await ask()
      return
    } catch {
      // Not yet.
      await pause(20)
    }
  }
}

/** A port of loopback that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Runs a program on the first core to its end and answers what it printed. */
export async function runOnFirstCore(command: readonly string[]): Promise<string> {
  const child = onFirstCore(command)
  const ended = once(child, 'exit')
  let printed = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const [code] = await ended
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}`)
  return printed
}

/** Nanoseconds that all threads of a process were on a core (proc(5), /proc/PID/task/TID/schedstat). */
export function onCore(pid: number): number {
  const folder = `/proc/${pid}/task`
  return readdirSync(folder)
    .map((thread) => Number(readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, one) => sum + one, 0)
}

/** Resident memory of a process in bytes (proc(5), /proc/PID/smaps_rollup): of shared pages, too, all of it. */
export function resident(pid: number): number {
  const kibibytes = /^Rss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]
  return Number(kibibytes) * 1024
}

/** The first child of a process. */
export const childOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0])

/** A function as a program of its own, see there. */
export const program = (main: () => void, ...args: readonly string[]): readonly string[] => [
  process.execPath,
  '-e',
  `(${main})()`,
  ...args,
]
