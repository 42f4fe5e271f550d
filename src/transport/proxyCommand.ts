import { Duplex } from 'node:stream'
import type { Environment } from '../processes/environment.ts'
import { redactedErrorOutput } from '../secrets/redactedErrorOutput.ts'

/** Connection over a program. `errorOutput` resolves with its standard error after it ended. */
export type ProxyStream = { readonly stream: Duplex; readonly errorOutput: () => Promise<string> }

/** Starts a ProxyCommand (ssh_config(5)) whose tokens are already replaced. */
export type StartProxy = (command: string) => Promise<ProxyStream>

/** Limit in characters for standard error. */
const errorOutputLimit = 4000

/** Runs the command with a shell, as ssh does; it ends with the connection. */
export const startProxyWith =
  (env: Environment): StartProxy =>
  async (command) => {
    const { startInteractive } = await import('../processes/run.ts')
    const whole = command.startsWith('exec ') ? command : `exec ${command}`
    const child = startInteractive({ command: ['sh', '-c', whole], env, environment: 'program' })
    let words = ''
    child.stderr.on('data', (chunk: Buffer) => {
      words = `${words}${chunk.toString('utf8')}`.slice(-errorOutputLimit)
    })
    const stream = Duplex.from({ readable: child.stdout, writable: child.stdin })
    // The connection reports the end of the program, with its reason.
    stream.on('error', () => undefined)
    stream.once('close', child.kill)
    return { stream, errorOutput: () => child.exited.then(() => redactedErrorOutput(words, [])) }
  }
