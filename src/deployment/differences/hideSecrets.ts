/** Names whose values nobody should see; `secretsFile` is only a path. */
const secretName = /pass(word|phrase|wd)?|secret(?!sFile)|token|credential/i

/** Whether something by that name may hold a secret. */
export const namesSecret = (name: string): boolean => secretName.test(name)

/**
 * A line of a host's own file as it may be shown. What we write holds no secret, but somebody may have written
 * one there by hand: an environment for a service, say. The name before the first `=` stays.
 */
export function withoutSecrets(line: string): string {
  // It goes on from a line above, whose name is not known here.
  if (/^\s/.test(line)) return '[redacted]'
  const at = line.indexOf('=')
  if (!namesSecret(line) && !/^Environment=/i.test(line)) return line
  return `${line.slice(0, at + 1)}[redacted]`
}
