import { createServer, type Socket } from 'node:net'
import type { ServerChannel } from 'ssh2'

/** What a host writes to steer a terminal: a title, a cleared screen, a line of its own, hidden and turned text. */
export const steering =
  '\u001b]0;owned\u0007\u001b[2J\u001b[8mfine\u001b[0m\rwell\nerror db1: forged \u202e\u009b31m\u2028\u200b\u007f'

/** SSH_MSG_DISCONNECT in a packet of its own, before any encryption (RFC 4253, sections 6 and 11.1). */
function disconnect(words: string): Buffer {
  const text = Buffer.from(words)
  const payload = Buffer.alloc(1 + 4 + 4 + text.length + 4)
  payload.writeUInt8(1)
  payload.writeUInt32BE(2, 1)
  payload.writeUInt32BE(text.length, 5)
  text.copy(payload, 9)
  const padding = 16 - ((5 + payload.length) % 8)
  const head = Buffer.alloc(5)
  head.writeUInt32BE(1 + payload.length + padding)
  head.writeUInt8(padding, 4)
  return Buffer.concat([head, payload, Buffer.alloc(padding)])
}

/** A server that disconnects with words before any key is shown, as whoever answers in place of a host can. */
export async function startDisconnecting(address: string, words: string) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
    socket.write('SSH-2.0-test\r\n')
    socket.once('data', () => socket.write(disconnect(words)))
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('no port')
  return {
    port: bound.port,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** A shell that understands frames (shellLoop.ts) and answers each with what `answer` makes of its script. */
export const answeringShell =
  (
    answer: (script: string) => {
      readonly code?: number
      readonly out: string | Buffer
      readonly err?: string
    },
  ) =>
  (channel: ServerChannel, command: string): void => {
    channel.on('error', () => undefined)
    const nonce = /printf "\\n%s\\n" ([0-9a-f]{32})/.exec(command)?.[1] ?? ''
    channel.write(`\n${nonce}\n`)
    channel.stderr.write(`\n${nonce}\n`)
    let input = Buffer.alloc(0)
    channel.on('data', (chunk: Buffer) => {
      input = Buffer.concat([input, chunk])
      for (;;) {
        const [head, id, script = '0', data = '0'] =
          /^(\w+) (\d+) (\d+) \w+\n/.exec(input.toString('latin1', 0, 200)) ?? []
        if (head === undefined || id === undefined) return
        const end = head.length + Number(script) + Number(data)
        if (input.length < end) return
        const {
          code = 0,
          out,
          err = '',
        } = answer(input.toString('utf8', head.length, head.length + Number(script)))
        input = input.subarray(end)
        channel.stderr.write(`${err}\n${id}\n`)
        channel.write(out)
        channel.write(`\n${id} ${code}\n`)
      }
    })
    channel.on('end', () => {
      channel.exit(0)
      channel.end()
    })
  }
