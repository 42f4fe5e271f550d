/** What clients do: requests on connections that stay open, or each on one of its own. */
export type Load = {
  readonly port: number
  /** How many requests in all. */
  readonly requests: number
  /** How many clients at once. */
  readonly clients: number
  /** Bytes of each answer. */
  readonly answer: number
  /** Whether each request has a connection of its own. */
  readonly anew: boolean
}

/**
 * Puts a load, which stands as JSON in the first argument, on a proxy and prints the milliseconds that it took. It
 * is run as a text of its own, so it uses nothing from around it.
 */
export function drive(): void {
  const { connect } = process.getBuiltinModule('node:net')
  const { port, requests, clients, answer, anew } = JSON.parse(process.argv[1] ?? '') as Load
  const request = Buffer.alloc(64)
  request.writeUInt32BE(answer, 0)
  let begun = 0
  let done = 0
  const begin = performance.now()

  function fail(error: Error): never {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
  function run(): void {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    let missing = 0
    const next = (): void => {
      if (begun >= requests) {
        socket.destroy()
        return
      }
      begun += 1
      missing = answer
      socket.write(request)
    }
    socket.on('connect', next)
    socket.on('error', fail)
    socket.on('data', (chunk) => {
      missing -= chunk.length
      if (missing > 0) return
      if (missing < 0) fail(new Error('an answer is too long'))
      done += 1
      if (done === requests) {
        process.stdout.write(`${performance.now() - begin}\n`)
        process.exit(0)
      }
      if (anew) socket.end()
      else next()
    })
    socket.on('close', () => {
      if (anew && begun < requests) run()
    })
  }
  for (let index = 0; index < clients; index += 1) run()
}
