import { redactSecrets } from '../../secrets/redactSecrets.ts'
import type { Secret } from '../../secrets/secret.ts'

/** Patterns that are secret whatever their value: private keys, password hashes, logins of HTTP requests. */
const secretPatterns: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, '[redacted key]'],
  [/\$?scrypt\$[^\s"']+/g, '[redacted hash]'],
  [/\$(?:2[aby]|5|6|y|argon2\w*)\$[^\s"']+/g, '[redacted hash]'],
  [/(\bauthorization\W{1,4}(?:basic|bearer)\s+)[^\s"',]+/gi, '$1[redacted]'],
]

/**
 * Removes these secrets from a text in all usual encodings, and everything that matches a secret pattern. The
 * commands print no secret; this covers what hosts and programs may have written to their logs.
 */
export function redact(text: string, secrets: readonly Secret[]): string {
  const clean = redactSecrets(text, secrets.flatMap(encodingsOf))
  return secretPatterns.reduce((shown, [form, mark]) => shown.replaceAll(form, mark), clean)
}

/**
 * Returns a secret as plain text, in JSON and YAML, in a URL, quoted for a shell, in base64 at each offset of a
 * longer text, and in hexadecimal.
 */
function encodingsOf(secret: Secret): readonly string[] {
  const value = secret.reveal()
  const bytes = Buffer.from(value)
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    value.replaceAll("'", "''"),
    value.replaceAll("'", `'\\''`),
    encodeURIComponent(value),
    bytes.toString('hex'),
    ...[0, 1, 2].map((offset) => base64At(bytes, offset)),
  ]
}

/**
 * Returns the base64 of bytes that start at this offset of a longer text, without characters that depend on their
 * neighbours.
 */
function base64At(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
}
