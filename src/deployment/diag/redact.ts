import type { Secret } from '../../secrets/secret.ts'
import { withoutSecrets } from '../../secrets/withoutSecrets.ts'

/** What is secret whatever its value: private keys, hashes of passwords, logins of HTTP requests. */
const forms: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, '[redacted key]'],
  [/\$?scrypt\$[^\s"']+/g, '[redacted hash]'],
  [/\$(?:2[aby]|5|6|y|argon2\w*)\$[^\s"']+/g, '[redacted hash]'],
  [/(\bauthorization\W{1,4}(?:basic|bearer)\s+)[^\s"',]+/gi, '$1[redacted]'],
]

/**
 * A text without any of these secrets, however a program may have spelt them, and without what has the form of one.
 * The commands print no secret; this is for what hosts and programs may have written into their logs.
 */
export function redacted(text: string, secrets: readonly Secret[]): string {
  const clean = withoutSecrets(text, secrets.flatMap(spellings))
  return forms.reduce((shown, [form, mark]) => shown.replaceAll(form, mark), clean)
}

/** As it is, in JSON and YAML, in a URL, for a shell, in base64 at each offset of a longer text, in hexadecimal. */
function spellings(secret: Secret): readonly string[] {
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

/** What base64 makes of bytes at this offset of longer ones, without the letters that it shares with its neighbours. */
function base64At(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
}
