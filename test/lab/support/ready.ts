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

/** The services of muster that run and listen nowhere yet: to systemd they have started as soon as their process exists. */
const deaf = `
  listeners=$(ss -Hltnp)
  for unit in $(systemctl list-units --plain --no-legend --state=active 'muster-*.service' | cut -d ' ' -f 1); do
    pid=$(systemctl show -P MainPID "$unit")
    case $pid,$listeners in 0,* | *"pid=$pid,"*) ;; *) echo "$unit" ;; esac
  done`

/** Waits until a host greets over SSH, its systemd has finished booting with every unit well, and services of muster listen. */
export async function ready(
  name: string,
  address: string,
  run: (script: string) => Promise<Outcome>,
): Promise<void> {
  await eventually(`the SSH greeting of ${name}`, () => greets(address), { timeout: 60_000 })
  const state = await run('systemctl is-system-running --wait')
  if (state.stdout.trim() === 'running') {
    const answers = async () => {
      const { code, stdout } = await run(deaf)
      return code === 0 && stdout === ''
    }
    await eventually(`all services of muster on ${name}`, answers, { timeout: 60_000 })
    return
  }
  const failed = await run(
    'systemctl --failed --no-legend --plain; journalctl -b -p warning --no-pager | tail -n 20',
  )
  throw new Error(`${name} is ${state.stdout.trim() || state.stderr.trim()}:\n${failed.stdout}`)
}
