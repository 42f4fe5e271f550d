import { Duplex } from 'node:stream'
import type { Environment } from '../processes/environment.ts'
import { lastWords } from '../secrets/lastWords.ts'

/** The connection that a program is, and what it has said beside it, once it is over. */
export type ProxyStream = { readonly stream: Duplex; readonly said: () => Promise<string> }

/** Starts a ProxyCommand (ssh_config(5)), its tokens replaced. */
export type StartProxy = (command: string) => Promise<ProxyStream>

/** Characters of standard error that are kept. */
const mostWords = 4000

/** Runs the command by the shell as ssh does; it ends with the connection. */
export const startProxyWith =
  (env: Environment): StartProxy =>
  async (command) => {
    const { startInteractive } = await import('../processes/run.ts')
    const whole = command.startsWith('exec ') ? command : `exec ${command}`
    const child = startInteractive({ command: ['sh', '-c', whole], env, sees: 'program' })
    let words = ''
    child.stderr.on('data', (chunk: Buffer) => {
      words = `${words}${chunk.toString('utf8')}`.slice(-mostWords)
    })
    const stream = Duplex.from({ readable: child.stdout, writable: child.stdin })
    // The end of the program is told by the connection, which says what is known of it.
    stream.on('error', () => undefined)
    stream.once('close', child.kill)
    return { stream, said: () => child.exited.then(() => lastWords(words, [])) }
  }
