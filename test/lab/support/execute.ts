import { spawn } from 'node:child_process'

/** What a finished program left behind. */
export type Outcome = { readonly code: number; readonly stdout: string; readonly stderr: string }

export type ExecuteOptions = {
  readonly input?: string | Buffer
  readonly cwd?: string
  /** The whole environment of the child; absent: this process's own. */
  readonly env?: NodeJS.ProcessEnv
  /** Milliseconds until the program is killed; ten minutes unless told. */
  readonly timeout?: number
  /** Told the process id as soon as the program runs. */
  readonly onStart?: (pid: number) => void
  /** Kills the program (SIGKILL, code 124) as soon as this is true of what it has printed so far. */
  readonly killWhen?: (stdout: string) => boolean
}

/** Runs a program without a shell; a non-zero exit is a result (124 when it was killed), not an error. */
export function execute(
  command: string,
  args: readonly string[],
  options: ExecuteOptions = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: options.cwd, env: options.env ?? process.env })
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    const killer = setTimeout(() => child.kill('SIGKILL'), options.timeout ?? 600_000)
    child.stdout.on('data', (chunk: Buffer) => {
      stdout.push(chunk)
      if (options.killWhen?.(Buffer.concat(stdout).toString('utf8'))) child.kill('SIGKILL')
    })
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    child.on('error', (cause) => {
      clearTimeout(killer)
      reject(new Error(`${command} could not be started`, { cause }))
    })
    child.on('close', (code) => {
      clearTimeout(killer)
      resolve({
        code: code ?? 124,
        stdout: Buffer.concat(stdout).toString('utf8'),
        stderr: Buffer.concat(stderr).toString('utf8'),
      })
    })
    if (child.pid !== undefined) options.onStart?.(child.pid)
    // A program that ends without reading its input closes the pipe first; its exit code tells the story.
    child.stdin.on('error', () => {})
    child.stdin.end(options.input ?? '')
  })
}

/** Runs a program that must succeed; returns its standard output, and throws with its last words otherwise. */
export async function succeed(
  command: string,
  args: readonly string[],
  options: ExecuteOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await execute(command, args, options)
  if (code === 0) return stdout
  const words = `${stdout}\n${stderr}`.trim().split('\n').slice(-15).join('\n')
  throw new Error(`${command} ${args.join(' ')} ended with exit code ${code}:\n${words}`)
}
