import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { type LoopbackServer, serveTcp } from './loopbackServer.ts'

/** Passes connections on to a port of loopback, from another address of loopback: servers count none of 127.0.0.1. */
export async function relayFrom(address: string, port: number): Promise<LoopbackServer> {
  const relay = await serveTcp((near) => {
    const far = connect({ host: '127.0.0.1', port, localAddress: address })
    far.on('error', () => near.destroy())
    far.on('close', () => near.destroy())
    near.on('error', () => far.resetAndDestroy())
    near.on('close', () => far.destroy())
    near.pipe(far).pipe(near)
  })
  onTestFinished(() => relay.close())
  return relay
}
