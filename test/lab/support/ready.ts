import { connect } from 'node:net'
import { eventually } from './eventually.ts'
import type { Outcome } from './execute.ts'

/** Whether an SSH server greets at this address within a second. */
export function greets(address: string, port = 22): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port })
    const end = (answer: boolean): void => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(1000, () => end(false))
    socket.once('error', () => end(false))
    socket.once('data', (data) => end(data.toString('latin1').startsWith('SSH-2.0-')))
  })
}

/** Waits until a host greets over SSH and its systemd has finished booting with every unit well. */
export async function ready(
  name: string,
  address: string,
  run: (script: string) => Promise<Outcome>,
): Promise<void> {
  await eventually(`the SSH greeting of ${name}`, () => greets(address), { timeout: 60_000 })
  const state = await run('systemctl is-system-running --wait')
  if (state.stdout.trim() === 'running') return
  const failed = await run(
    'systemctl --failed --no-legend --plain; journalctl -b -p warning --no-pager | tail -n 20',
  )
  throw new Error(`${name} is ${state.stdout.trim() || state.stderr.trim()}:\n${failed.stdout}`)
}
