/** The address under which a listener is called on its own host: "all interfaces" is called as loopback. */
export function callableAddress(listenAddress: string): string {
  if (listenAddress === '0.0.0.0') return '127.0.0.1'
  if (listenAddress === '::') return '::1'
  return listenAddress
}
