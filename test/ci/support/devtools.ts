import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'

/** As much as is read here of what a browser tells (Chrome DevTools Protocol). */
export type Told = {
  readonly loaderId?: string
  readonly name?: string
  readonly type?: string
  readonly response?: { readonly securityDetails?: SecurityDetails }
  readonly targetId?: string
  readonly sessionId?: string
  readonly errorText?: string
  readonly result?: { readonly value?: unknown }
  readonly request?: { readonly url: string }
  readonly entry?: { readonly text: string }
  readonly issue?: { readonly code: string }
}

/** How a browser reached a server, and the certificate that it saw there. */
export type SecurityDetails = {
  readonly protocol: string
  readonly issuer: string
  readonly sanList: readonly string[]
}

type Message = {
  readonly id?: number
  readonly method?: string
  readonly sessionId?: string
  readonly params?: Told
  readonly result?: Told
  readonly error?: { readonly message: string }
}

/** A browser that is steered through pipes: nothing listens on a port. */
export type Devtools = {
  /** Rejects with the browser's own words, or with its last lines where it has ended. */
  readonly send: (command: {
    readonly method: string
    readonly params?: object
    readonly session?: string
  }) => Promise<Told>
  /** The first event of a session that passes, of the past or of the future. */
  readonly event: (session: string, passes: (method: string, params: Told) => boolean) => Promise<Told>
  /** Every event of a session so far. */
  readonly past: (session: string) => readonly { readonly method: string; readonly params: Told }[]
  /** Ends the process. */
  readonly close: () => Promise<void>
}

/** Starts a browser. Rejects where there is no such program. */
export async function startDevtools(options: {
  readonly program: string
  readonly argv: readonly string[]
  readonly env: NodeJS.ProcessEnv
}): Promise<Devtools> {
  const child = spawn(options.program, [...options.argv, '--remote-debugging-pipe'], {
    env: options.env,
    // A group of its own, since the program may be a script that starts the browser.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  await once(child, 'spawn')
  const closed = once(child, 'close')
  const lastWords = wordsOf(child)
  const [, , , commands, answers] = child.stdio
  if (!(commands instanceof Writable && answers instanceof Readable))
    throw new Error('a process without pipes')
  // The pipe of a browser that ends breaks; its last words tell why.
  commands.on('error', () => undefined)

  const told: (Message | Error)[] = []
  const listeners = new Set<() => void>()
  const tell = (message: Message | Error): void => {
    told.push(message)
    for (const listener of [...listeners]) listener()
  }
  let unread = ''
  answers.setEncoding('utf8').on('data', (text: string) => {
    const pieces = `${unread}${text}`.split('\0')
    unread = pieces.pop() ?? ''
    for (const piece of pieces) tell(JSON.parse(piece))
  })
  child.once('close', () => tell(new Error(`the browser has ended: ${lastWords()}`)))

  /** The first that passes of all that it has told and will tell. */
  const first = (passes: (message: Message) => boolean): Promise<Message> =>
    new Promise((resolve, reject) => {
      let read = 0
      const look = (): void => {
        for (; read < told.length; read += 1) {
          const message = told[read]
          if (message === undefined || !(message instanceof Error || passes(message))) continue
          listeners.delete(look)
          if (message instanceof Error) reject(message)
          else resolve(message)
          return
        }
      }
      listeners.add(look)
      look()
    })

  let count = 0
  return {
    send: async ({ method, params = {}, session }) => {
      count += 1
      const id = count
      commands.write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`)
      const { error, result = {} } = await first((message) => message.id === id)
      if (error !== undefined) throw new Error(`${method}: ${error.message}`)
      return result
    },
    event: async (session, passes) => {
      const { params = {} } = await first(
        ({ method = '', sessionId, params = {} }) => sessionId === session && passes(method, params),
      )
      return params
    },
    past: (session) =>
      told.flatMap((message) => {
        if (message instanceof Error || message.sessionId !== session) return []
        const { method, params = {} } = message
        return method === undefined ? [] : [{ method, params }]
      }),
    close: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
      await closed
    },
  }
}

/** The last lines that a process writes to standard error. */
function wordsOf({ stderr }: ChildProcess): () => string {
  let words = ''
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = `${words}${text}`.slice(-2_000)
  })
  return () => words
}
