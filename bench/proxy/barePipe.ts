/**
 * The least that a proxy in Node.js can do: two streams, piped both ways. Prints its port; the first argument is the
 * port that it forwards to. It is run as a text of its own, so it uses nothing from around it.
 */
export function barePipe(): void {
  const { connect, createServer } = process.getBuiltinModule('node:net')
  const target = Number(process.argv[1])
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const database = connect({ host: '127.0.0.1', port: target, noDelay: true, allowHalfOpen: true })
    client.on('error', () => database.destroy())
    database.on('error', () => client.destroy())
    client.pipe(database)
    database.pipe(client)
  })
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
    const address = server.address()
    if (typeof address === 'object' && address !== null) process.stdout.write(`${address.port}\n`)
  })
}
