import { mostHosts } from './inventory.ts'

const range = /\[([0-9]{1,9}|[A-Za-z])?:([0-9]{1,9}|[A-Za-z])(?::([0-9]{1,9}))?\]/

/** Splits `db1:2222`; an IPv6 address with a port is in brackets, and a range has its colons in brackets, too. */
export function splitPort(text: string): { readonly pattern: string; readonly port?: string } {
  const [, address, bracketPort] = /^\[([0-9A-Fa-f:.]{2,60})\](?::(\d{1,5}))?$/.exec(text) ?? []
  if (address !== undefined && /:.*:/.test(address))
    return { pattern: address, ...(bracketPort && { port: bracketPort }) }
  const outside = text.replaceAll(/\[[^[\]]*\]/g, '')
  const [, port] = /^[^:]*:(\d{1,5})$/.exec(outside) ?? []
  return port === undefined ? { pattern: text } : { pattern: text.slice(0, -port.length - 1), port }
}

/**
 * Returns the names of a host pattern of Ansible, such as `db[01:12]`, `db[1:9:2]` or `rack[a:c]-[1:2]`; the text
 * itself without a range. Undefined for a range that runs backwards or is mixed, or with more than `mostHosts` names.
 */
export function expandRange(pattern: string): readonly string[] | undefined {
  let names: readonly string[] = ['']
  let rest = pattern
  for (;;) {
    const found = range.exec(rest)
    if (found === null) break
    const before = rest.slice(0, found.index)
    const steps = stepsOf(found[1] ?? '0', found[2] ?? '', Number(found[3] ?? 1))
    if (steps === undefined || steps.length * names.length > mostHosts) return undefined
    names = names.flatMap((name) => steps.map((step) => `${name}${before}${step}`))
    rest = rest.slice(found.index + found[0].length)
  }
  return names.map((name) => name + rest)
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

function stepsOf(from: string, to: string, step: number): readonly string[] | undefined {
  const isNumber = /^\d/.test(from)
  if (isNumber !== /^\d/.test(to) || step < 1) return undefined
  const [first, last] = isNumber ? [Number(from), Number(to)] : [letters.indexOf(from), letters.indexOf(to)]
  // Leading zeros give the width, as in Ansible.
  const width = isNumber && from.startsWith('0') ? from.length : 0
  if (last < first || (last - first) / step >= mostHosts) return undefined
  const count = Math.floor((last - first) / step) + 1
  return Array.from({ length: count }, (_, index) => {
    const at = first + index * step
    return isNumber ? String(at).padStart(width, '0') : letters.charAt(at)
  })
}
