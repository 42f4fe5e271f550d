import type { StoreReadReason } from './stores/storeReadError.ts'

/** Every finding about a store that could be read from disk; the first word says which of the two. */
export const storeProblemCodes = [
  'keystore-wrong-password',
  'keystore-key-password',
  'keystore-not-a-store',
  'keystore-unsupported',
  'keystore-no-private-key',
  'keystore-alias-absent',
  'keystore-no-certificate',
  'keystore-key-mismatch',
  'keystore-not-yet-valid',
  'keystore-expired',
  'keystore-expires-soon',
  'keystore-names-do-not-cover',
  'keystore-names-partly-cover',
  'truststore-wrong-password',
  'truststore-key-password',
  'truststore-not-a-store',
  'truststore-unsupported',
  'truststore-empty',
  'truststore-does-not-trust',
] as const

export type StoreProblemCode = (typeof storeProblemCodes)[number]

export type StoreProblem = {
  readonly code: StoreProblemCode
  readonly message: string
  readonly why: string
  readonly fix: string
}

const convert = (store: string): string =>
  `convert it: \`keytool -importkeystore -srckeystore OLD -destkeystore ${store}.p12 -deststoretype pkcs12\``

/** The finding for a store that cannot be opened; `detail` comes from `readStore`. */
export function unreadable(
  store: 'keystore' | 'truststore',
  reason: StoreReadReason,
  detail: string,
): StoreProblem {
  const code = `${store}-${reason}` as const
  switch (reason) {
    case 'wrong-password':
      return {
        code,
        message: `the password does not open the ${store}: ${detail}`,
        why: `neither muster nor Java can read a ${store} without its password`,
        fix: `check the option java-${store}-password; \`keytool -list -keystore FILE\` asks for the password and tells whether it is right`,
      }
    case 'key-password':
      return {
        code,
        message: `the ${store} opens, but not a key in it: ${detail}`,
        why: 'there is one password option per store, so the key must have the same password',
        fix: 'give the key the password of the store: `keytool -keypasswd -alias ALIAS -keystore FILE`',
      }
    case 'not-a-store':
      return {
        code,
        message: `the ${store} is neither PKCS#12 nor JKS: ${detail}`,
        why: 'the option takes a Java keystore file, and nothing else can be loaded from it',
        fix:
          store === 'keystore'
            ? 'make one from PEM files: `openssl pkcs12 -export -in chain.pem -inkey key.pem -name tls -out keystore.p12`'
            : 'make one from a PEM certificate: `keytool -importcert -file authority.crt -alias authority -keystore truststore.p12 -storetype pkcs12`',
      }
    case 'unsupported':
      return {
        code,
        message: `the ${store} uses something that muster cannot read: ${detail}`,
        why: 'PKCS#12 with AES, triple DES or RC2 and JKS can be read',
        fix: convert(store),
      }
  }
}
