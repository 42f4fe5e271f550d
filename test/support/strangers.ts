import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** A port that strangers reach; at one that is `silent` they only wait. */
export type OpenPort = { readonly host: string; readonly port: number; readonly silent?: true }

/** First bytes of a TLS handshake, which never goes on. */
const halfHello = Buffer.from('160301020001', 'hex')

/** What a stranger does on a new connection. */
const kinds: Readonly<Record<string, (place: OpenPort) => Socket>> = {
  'says nothing': ({ host, port }) => connect(port, host),
  'begins TLS': ({ host, port }) => {
    const socket = connect(port, host)
    socket.write(halfHello)
    return socket
  },
  'ends the handshake': ({ host, port }) => connectTls({ host, port, rejectUnauthorized: false }),
  'begins a request': ({ host, port }) => {
    const socket = connectTls({ host, port, rejectUnauthorized: false })
    socket.write('POST /api/v2/createAdminUser?i-am-sure=true HTTP/1.1\r\nHost: localhost\r\n')
    return socket
  },
}

/** Milliseconds until a connection that was closed is opened again. */
const pause = 200

/**
 * Keeps connections without credentials open to every port, `each` of every kind, and opens each again when it is
 * closed. `opened` counts those that were, by kind and port; `leave` ends them all.
 */
export function comeAsStrangers(
  places: readonly OpenPort[],
  { each }: { readonly each: number },
): { readonly opened: () => ReadonlyMap<string, number>; readonly leave: () => void } {
  const open = new Set<Socket>()
  const opened = new Map<string, number>()
  let isOver = false
  const come = (kind: string, place: OpenPort): void => {
    const socket = kinds[kind]?.(place)
    if (socket === undefined) return
    open.add(socket)
    const at = `${kind} ${place.host}:${place.port}`
    socket.once('connect', () => opened.set(at, (opened.get(at) ?? 0) + 1))
    socket.resume().on('error', () => undefined)
    socket.on('close', () => {
      open.delete(socket)
      setTimeout(() => isOver || come(kind, place), pause)
    })
  }
  for (const place of places) {
    const wanted = Object.keys(kinds).slice(0, place.silent === true ? 1 : undefined)
    for (const kind of wanted) for (let times = 0; times < each; times += 1) come(kind, place)
  }
  return {
    opened: () => opened,
    leave: () => {
      isOver = true
      for (const socket of open) socket.destroy()
    },
  }
}
