/** Whether an address of a TCP peer is this host's loopback; IPv4 may come mapped into IPv6. */
export const isLoopback = (address: string | undefined): boolean =>
  address === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(address ?? '')
