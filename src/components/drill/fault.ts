import { lookup } from 'node:dns/promises'
import { existsSync, readFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { StartError } from '../../api/startError.ts'
import { canonicalAddress } from '../../base/address.ts'
import { ancestors } from '../../base/processIdentity.ts'
import { quote } from '../../base/shellWords.ts'
import { type DrillFault, faultTimeout } from '../../contracts/drilling.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { ownSource, serverAt, unitOf } from '../localServer.ts'
import { runProgram, systemctl } from '../provision/program.ts'

/** Timer and service of systemd that undo a fault; a reboot, after which both are gone, has undone it. */
const undoUnit = 'muster-drill'

/** Place of the rules of a cut among those of ip-rule(8), before all that people write. */
const rulePlace = 77

/** Another host of the service, by a name or an address. */
type Other = { readonly name: string; readonly address: string }

/** Script that makes a fault, and the one that undoes it, as sh. */
type Script = { readonly make: string; readonly undo: string }

/** Returns the scripts of a fault of this host. Rejects with a `StartError` that says why it cannot be made here. */
export async function prepareFault(
  settings: Pick<ServerSettings, 'services' | 'member'>,
  { fault, others }: { readonly fault: DrillFault; readonly others: readonly Other[] },
): Promise<Script> {
  const { port } = ownSource(settings)
  if (!existsSync('/run/systemd/system')) {
    throw new StartError('this host has no systemd, whose timer undoes the fault where nobody else does')
  }
  const pid = serverAt(port)
  const unit = pid === undefined ? undefined : unitOf(pid)
  if (unit === undefined) throw new StartError(`no service of systemd runs a server at port ${port}`)
  switch (fault) {
    case 'kill':
      return { make: signal('KILL', unit), undo: `systemctl start -- ${quote(unit)}` }
    case 'hang':
      return { make: signal('STOP', unit), undo: signal('CONT', unit) }
    case 'cut':
      return cut(await addressesOf(others))
  }
}

const signal = (name: string, unit: string): string => `systemctl kill --signal=${name} -- ${quote(unit)}`

/** Returns scripts by which this host reaches none of these addresses. */
function cut(addresses: readonly string[]): Script {
  const rules = addresses.map((address) => ({
    ip: `ip ${isIPv6(address) ? '-6' : '-4'} rule`,
    rule: `pref ${rulePlace} to ${quote(address)} unreachable`,
  }))
  return {
    make: rules.map(({ ip, rule }) => `${ip} add ${rule}`).join(' && '),
    undo: rules.map(({ ip, rule }) => `while ${ip} del ${rule} 2>/dev/null; do :; done`).join('\n'),
  }
}

/**
 * Returns the addresses of other hosts. Rejects with a `StartError` where the one who runs this would lose the way to this host,
 * or to the others through it.
 */
async function addressesOf(others: readonly Other[]): Promise<readonly string[]> {
  await runProgram(['ip', 'rule', 'show'])
  const own = new Set(
    Object.values(networkInterfaces()).flatMap((them) => them?.map(({ address }) => address)),
  )
  const operator = operatorAddress()
  if (operator === undefined) {
    throw new StartError('it cannot be seen from which address you log in, which must not be cut off')
  }
  if (own.has(operator)) {
    throw new StartError('you log in from this host itself, which would not reach the others')
  }
  const found = new Set<string>()
  for (const { name, address } of others) {
    const places = await lookup(address, { all: true }).catch(() => {
      throw new StartError(`the address ${address} of ${name} is unknown here`)
    })
    for (const { address: place } of places) {
      if (place === operator)
        throw new StartError(`you log in from ${operator}, which is an address of ${name}`)
      if (!own.has(place)) found.add(place)
    }
  }
  if (found.size === 0) throw new StartError('there is no other host that it could be cut off from')
  return [...found]
}

/** Returns the variables of a process, with a NUL between them; nothing for one that is gone. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}

/** Returns the address of the SSH client of this process; undefined where none of its parents is of sshd. */
function operatorAddress(): string | undefined {
  // sudo leaves that variable out, but not its own parent; the first process is of nobody.
  for (const pid of [process.pid, ...ancestors()].filter((it) => it > 1)) {
    const client = /(?:^|\0)SSH_CONNECTION=([^\s\0]+) /.exec(environmentOf(pid))?.[1]
    if (client !== undefined) return canonicalAddress(client)
  }
  return undefined
}

/** Makes a fault that this host undoes by itself after a minute. Rejects with a `StartError`. */
export async function makeFault(...wish: Parameters<typeof prepareFault>): Promise<void> {
  await undoFault()
  const { make, undo } = await prepareFault(...wish)
  await runProgram([
    ...(['systemd-run', '--quiet', '--collect', `--unit=${undoUnit}`] as const),
    ...[`--description=Undo the fault of a drill of muster`, '--property=Type=oneshot'],
    ...[`--on-active=${faultTimeout / 1000}`, '--timer-property=AccuracySec=100ms'],
    ...['/bin/sh', '-c', undo],
  ])
  try {
    await runProgram(['/bin/sh', '-c', make])
  } catch (error) {
    await undoFault()
    throw error
  }
}

/** Undoes a fault before its time; nothing happens if there is none, or it was undone. Rejects with a `StartError`. */
export async function undoFault(): Promise<void> {
  const state = await systemctl('show', '--property=LoadState', '--value', '--', `${undoUnit}.timer`)
  if (state.trim() !== 'loaded') return
  await systemctl('start', '--', `${undoUnit}.service`)
  await systemctl('stop', '--', `${undoUnit}.timer`)
}
