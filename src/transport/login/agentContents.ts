import { connect } from 'node:net'

/** A key that an agent holds, even of a type that ssh2 cannot use. */
export type HeldKey = { readonly type: string; readonly comment: string }

// draft-miller-ssh-agent, section 5.1.
const requestIdentities = 11
const identitiesResponse = 12

/** Bytes; OpenSSH's agent responds with at most 256 KiB. */
const maxResponse = 1024 * 1024

/**
 * Lists the keys of an agent, with certificates and keys of security tokens. Rejects if the agent does not
 * respond.
 */
export function agentContents(socketPath: string): Promise<readonly HeldKey[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath)
    let answer = Buffer.alloc(0)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the agent closed the connection')))
    socket.once('connect', () => socket.write(Buffer.from([0, 0, 0, 1, requestIdentities])))
    socket.on('data', (chunk: Buffer) => {
      answer = Buffer.concat([answer, chunk])
      const length = answer.length < 4 ? maxResponse : answer.readUInt32BE(0)
      if (answer.length > maxResponse) socket.destroy()
      if (answer.length < length + 4) return
      resolve(heldKeys(answer.subarray(4, length + 4)))
      socket.destroy()
    })
  })
}

/** Parses the response as far as possible. */
export function heldKeys(answer: Buffer): readonly HeldKey[] {
  if (answer[0] !== identitiesResponse) return []
  const found: HeldKey[] = []
  let at = 5
  const take = (bytes: Buffer, from: number): Buffer | undefined => {
    if (from + 4 > bytes.length) return undefined
    const end = from + 4 + bytes.readUInt32BE(from)
    return end > bytes.length ? undefined : bytes.subarray(from + 4, end)
  }
  for (;;) {
    const key = take(answer, at)
    const comment = key === undefined ? undefined : take(answer, at + 4 + key.length)
    const type = key === undefined ? undefined : take(key, 0)
    if (key === undefined || comment === undefined || type === undefined) return found
    found.push({ type: type.toString('latin1'), comment: comment.toString('utf8') })
    at += 8 + key.length + comment.length
  }
}
