import type { Socket } from 'node:net'
import type { Intake } from './intake.ts'

/**
 * Times that a client speaks, its ClientHello included, in the shortest session that logs in: TLS 1.3 ends its
 * handshake together with the login, then comes the command to quit. Those who leave within the handshake, or are
 * refused, speak less often.
 */
const turnsOfLogin = 3

/** Records of TLS with which one side only says that it ends: an alert, which TLS 1.3 hides as 19 bytes of data. */
const isAlert = (bytes: Buffer): boolean =>
  bytes[0] === 21 || (bytes.length >= 5 && bytes[0] === 23 && bytes.readUInt16BE(3) <= 19)

/**
 * Watches a client that has sent its ClientHello: what it says is hidden, but not that it goes on. `onGoneOn` is
 * called once where it does. To be called after both sides were joined.
 */
export function watchTls(options: {
  readonly client: Socket
  readonly intake: Intake
  readonly onGoneOn: () => void
}): void {
  const { client, intake, onGoneOn } = options
  let turns = 1
  let isServersTurn = true

  const onData = (bytes: Buffer): void => {
    if (isServersTurn || isAlert(bytes)) return
    isServersTurn = true
    turns += 1
    if (turns < turnsOfLogin) return
    client.off('data', onData)
    intake.to(client)
    onGoneOn()
  }
  client.on('data', onData)
  intake.to({
    write: (bytes: Buffer) => {
      isServersTurn = false
      return client.write(bytes)
    },
    get writableLength() {
      return client.writableLength
    },
  })
}
