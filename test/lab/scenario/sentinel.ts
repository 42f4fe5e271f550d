import { randomBytes } from 'node:crypto'

/** A password that would betray itself anywhere: a random core, and after it every character that programs trip over. */
export type Sentinel = {
  readonly password: string
  /** The forms of the core in which it could lie about: as it is, base64 at each offset, hexadecimal, UTF-16. */
  readonly traces: readonly Buffer[]
}

/** What base64 makes of the text at this offset of a longer one, without the letters its neighbours share. */
function base64At(text: string, offset: number): string {
  const encoded = Buffer.from('\0'.repeat(offset) + text).toString('base64')
  const start = Math.ceil((offset * 8) / 6)
  const end = Math.floor(((offset + text.length) * 8) / 6)
  return encoded.slice(start, end)
}

/** Makes a new password for one run of the tests. */
export function makeSentinel(): Sentinel {
  const core = `Zq7${randomBytes(9).toString('hex')}`
  const texts = [
    core,
    ...[0, 1, 2].map((offset) => base64At(core, offset)),
    Buffer.from(core).toString('hex'),
  ]
  return {
    password: `${core}'"\\$#%:@ é`,
    traces: [...texts.map((text) => Buffer.from(text)), Buffer.from(core, 'utf16le')],
  }
}

/** How programs write a password down: as it is, in JSON, in a URL, for a shell and for YAML, in logins, in codes. */
export const spellingsOf = ({ password }: Sentinel): readonly string[] => [
  password,
  JSON.stringify({ password }),
  encodeURIComponent(password),
  `'${password.replaceAll("'", `'\\''`)}'`,
  `'${password.replaceAll("'", "''")}'`,
  `Authorization: Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
  ...['', 'a', 'ab', 'abc'].map((before) => Buffer.from(`${before}${password}z`).toString('base64')),
  Buffer.from(password).toString('hex'),
]

/** Whether any form of the password is in these bytes. */
export function betrays(sentinel: Sentinel, bytes: Buffer | string): boolean {
  const content = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
  return sentinel.traces.some((trace) => content.includes(trace))
}
