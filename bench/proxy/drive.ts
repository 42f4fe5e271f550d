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
  // HandshakeResponse41: long password, protocol 4.1, secure connection, plugin authentication.
  const login = Buffer.concat([Buffer.alloc(36), Buffer.from('bench\0\0mysql_native_password\0', 'latin1')])
  login.writeUIntLE(login.length - 4, 0, 3)
  login[3] = 1
  login.writeUInt32LE(0x88201, 4)
  login.writeUInt32LE(2 ** 24, 8)
  login[12] = 33
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
    /** Packets of the login that are still to come: the greeting, and that it is accepted. */
    let toCome = 2
    let kept = Buffer.alloc(0)
    const logIn = (chunk: Buffer): void => {
      kept = Buffer.concat([kept, chunk])
      if (kept.length < 4 || kept.length < 4 + kept.readUIntLE(0, 3)) return
      kept = kept.subarray(4 + kept.readUIntLE(0, 3))
      toCome -= 1
      if (toCome === 1) socket.write(login)
      else next()
    }
    const next = (): void => {
      if (begun >= requests) {
        socket.destroy()
        return
      }
      begun += 1
      missing = answer
      socket.write(request)
    }
    socket.on('error', fail)
    socket.on('data', (chunk) => {
      if (toCome > 0) {
        logIn(chunk)
        return
      }
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
