import { canonicalAddress, isLoopback } from '../../base/address.ts'
import { listOf } from '../../base/words.ts'
import { type Check, ok, warning } from './checkContract.ts'
import { dialledNames, isName } from './namesCheck.ts'

/**
 * Checks that the host's own name in /etc/hosts is not a loopback address, such as 127.0.1.1 from Debian's installer.
 */
export const ownNameCheck: Check = {
  id: 'own-name',
  describe: ({ host, facts, observed }, { config }) => {
    const { hostname } = facts
    const own = [host.name, host.address, hostname, host.database?.host ?? ''].filter(isName)
    const looped = loopbackLines(observed.hostsFile).flatMap(({ address, names }) =>
      names.filter((name) => own.includes(name)).map((name) => ({ address, name })),
    )
    if (looped.length === 0) return ok('no loopback address')
    const lines = listOf(looped.map(({ address, name }) => `${address} ${name}`))
    // Harmless if nothing connects to it; the default of every fresh Debian.
    const dialled = dialledNames(config, host)
    if (!looped.some(({ name }) => dialled.includes(name))) {
      return ok(`/etc/hosts has ${lines}, but no component connects to that name`)
    }
    return warning(
      `its /etc/hosts has ${lines}, so its components reach its database only over loopback, unlike the other hosts`,
      `Give the name the address ${isName(host.address) ? 'that other hosts use' : host.address} in /etc/hosts there, or use IP addresses in the file.`,
    )
  },
}

/** Returns the lines of hosts(5) that begin with a loopback address. */
function loopbackLines(
  text: string,
): readonly { readonly address: string; readonly names: readonly string[] }[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    return isLoopback(canonicalAddress(address) ?? '') ? [{ address, names }] : []
  })
}
