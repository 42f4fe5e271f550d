/**
 * Stands for a database: a request of 64 bytes begins with the length of the answer that it wants. Prints its port.
 * It is run as a text of its own, so it uses nothing from around it.
 */
export function backend(): void {
  const { createServer } = process.getBuiltinModule('node:net')
  const requestLength = 64
  const answers = new Map<number, Buffer>()
  const answerOf = (length: number): Buffer => {
    const answer = answers.get(length) ?? Buffer.alloc(length, 'x')
    answers.set(length, answer)
    return answer
  }
  const server = createServer({ noDelay: true }, (socket) => {
    let rest = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk])
      while (rest.length >= requestLength) {
        socket.write(answerOf(rest.readUInt32BE(0)))
        rest = rest.subarray(requestLength)
      }
    })
  })
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
    const address = server.address()
    if (typeof address === 'object' && address !== null) process.stdout.write(`${address.port}\n`)
  })
}
