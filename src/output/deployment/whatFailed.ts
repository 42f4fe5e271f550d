/**
 * What a message says of a host whose name stands before it already: the name is not said twice, and of
 * `db1 (10.0.0.1 port 22)` the place is left.
 */
export function whatFailed(host: string, message: string): string {
  if (!message.startsWith(`${host} `)) return message
  return message.slice(host.length + 1).replace(/^\(([^()]*)\) /, '$1 ')
}
