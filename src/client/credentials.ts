import type { Secret } from '../secrets/secret.ts'

export type Credentials = { readonly user: string; readonly password: Secret }

/** Builds an Authorization header: Basic, UTF-8, both parts in NFC (RFC 7617 section 2.1). */
export function basicAuthorization({ user, password }: Credentials): string {
  const pair = `${user.normalize('NFC')}:${password.reveal().normalize('NFC')}`
  return `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`
}
