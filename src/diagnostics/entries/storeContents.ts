import { listOf, shortListOf } from '../../base/words.ts'
import { error, warning } from '../entry.ts'

/** The hosts that use the store. */
type StoreFacts = { readonly hosts: readonly string[] }

type Kind = 'keystore' | 'truststore'

const unreadable = (store: Kind) =>
  error((facts: StoreFacts & { reason: string }) => ({
    message: `The ${store} of ${shortListOf(facts.hosts)} ${facts.reason}.`,
    why: 'muster opens it on this machine to check its contents and send it to the host.',
    fix: 'Use a PKCS#12 or JKS file that you can read; ls -l shows its owner and permissions.',
  }))

const wrongPassword = (store: Kind) =>
  error((facts: StoreFacts & { detail: string }) => ({
    message: `The password does not open the ${store} of ${shortListOf(facts.hosts)}: ${facts.detail}.`,
    why: `Neither muster nor Java can read a ${store} without its password.`,
    fix: `Check java-${store}-password; keytool -list -keystore FILE asks for the password and checks it.`,
  }))

const keyPassword = (store: Kind) =>
  error((facts: StoreFacts & { detail: string }) => ({
    message: `The password opens the ${store} of ${shortListOf(facts.hosts)}, but not a key in it: ${facts.detail}.`,
    why: 'Each store has one password option, so the key must have the same password.',
    fix: 'Set the password of the key to that of the store: keytool -keypasswd -alias ALIAS -keystore FILE',
  }))

const createFix = {
  keystore:
    'Create one from PEM files: openssl pkcs12 -export -in chain.pem -inkey key.pem -name tls -out keystore.p12',
  truststore:
    'Create one from a PEM certificate: keytool -importcert -file authority.crt -alias authority -keystore truststore.p12 -storetype pkcs12',
} as const

const notAStore = (store: Kind) =>
  error((facts: StoreFacts & { detail: string }) => ({
    message: `The ${store} of ${shortListOf(facts.hosts)} is neither PKCS#12 nor JKS: ${facts.detail}.`,
    why: 'The option takes a Java keystore file only.',
    fix: createFix[store],
  }))

const unsupported = (store: Kind) =>
  error((facts: StoreFacts & { detail: string }) => ({
    message: `The ${store} of ${shortListOf(facts.hosts)} uses something that muster cannot read: ${facts.detail}.`,
    why: 'muster reads JKS, and PKCS#12 with AES, triple DES or RC2.',
    fix: `Convert it: keytool -importkeystore -srckeystore OLD -destkeystore ${store}.p12 -deststoretype pkcs12`,
  }))

const outsideValidity =
  'Clients that verify certificates, such as tapi and curl, refuse a certificate outside its validity period.'

const nameMismatch =
  'A client accepts a server only if its certificate has the name or address that the client connects to.'

const names = (words: readonly string[]): string =>
  words.length === 0 ? 'no name at all' : shortListOf(words, 8)

const trustsTruststoreOnly =
  'Components call each other over TLS and trust only the certificates in the truststore.'

/** Contents of keystores and truststores. */
export const storeContentEntries = {
  'keystore-unreadable': unreadable('keystore'),
  'keystore-world-readable': warning((facts: StoreFacts) => ({
    message: `Every user of this machine can read the keystore of ${shortListOf(facts.hosts)}.`,
    why: 'Anyone with a copy can try passwords on it without limit and get the private key.',
    fix: 'Remove the permission: chmod o-r FILE',
  })),
  'keystore-wrong-password': wrongPassword('keystore'),
  'keystore-key-password': keyPassword('keystore'),
  'keystore-not-a-store': notAStore('keystore'),
  'keystore-unsupported': unsupported('keystore'),
  'keystore-no-private-key': error((facts: StoreFacts) => ({
    message: `The keystore of ${shortListOf(facts.hosts)} has certificates but no private key.`,
    why: 'A server identifies itself with the private key; a truststore has none.',
    fix: 'Set java-tls-keystore-path to the keystore and java-truststore-path to the truststore.',
  })),
  'keystore-alias-absent': error(
    (facts: StoreFacts & { alias: string; has: readonly [string, ...string[]] }) => ({
      message: `The keystore of ${shortListOf(facts.hosts)} has no private key named ${facts.alias}; it has ${listOf(facts.has)}.`,
      why: 'java-tls-alias says which key the servers use.',
      fix: `Set java-tls-alias: ${facts.has[0]}`,
    }),
  ),
  'keystore-no-certificate': error((facts: StoreFacts & { alias: string }) => ({
    message: `The private key ${facts.alias} in the keystore of ${shortListOf(facts.hosts)} has no certificate.`,
    why: 'A server needs the certificate that belongs to its key.',
    fix: 'Put both into the keystore: openssl pkcs12 -export -in chain.pem -inkey key.pem -name tls -out keystore.p12',
  })),
  'keystore-key-mismatch': error((facts: StoreFacts & { alias: string }) => ({
    message: `The private key ${facts.alias} in the keystore of ${shortListOf(facts.hosts)} does not match its certificate.`,
    why: 'A TLS handshake fails if key and certificate do not match.',
    fix: 'Create the keystore again with the key that the certificate was requested for.',
  })),
  'keystore-not-yet-valid': error((facts: StoreFacts & { day: string }) => ({
    message: `The certificate of ${shortListOf(facts.hosts)} is valid only from ${facts.day}.`,
    why: outsideValidity,
    fix: "Check this machine's clock. If it is right, wait, or use a certificate that is valid now.",
  })),
  'keystore-expired': error((facts: StoreFacts & { day: string }) => ({
    message: `The certificate of ${shortListOf(facts.hosts)} expired on ${facts.day}.`,
    why: outsideValidity,
    fix: 'Put a renewed certificate into the keystore.',
  })),
  'keystore-expires-soon': warning((facts: StoreFacts & { day: string; days: number }) => ({
    message: `The certificate of ${shortListOf(facts.hosts)} expires on ${facts.day}, in ${facts.days} ${facts.days === 1 ? 'day' : 'days'}.`,
    why: outsideValidity,
    fix: 'Renew it now, or lower tls-warning-days.',
  })),
  'keystore-names-do-not-cover': error(
    (facts: StoreFacts & { has: readonly string[]; missing: readonly string[] }) => ({
      message: `The certificate of ${shortListOf(facts.hosts)} is valid for ${names(facts.has)}, not for ${names(facts.missing)}.`,
      why: nameMismatch,
      fix: `Use a certificate whose subject alternative names include ${names(facts.missing)}`,
    }),
  ),
  'keystore-names-partly-cover': warning(
    (facts: StoreFacts & { has: readonly string[]; missing: readonly string[] }) => ({
      message: `The certificate of ${shortListOf(facts.hosts)} is not valid for ${names(facts.missing)}, only for ${names(facts.has)}.`,
      why: nameMismatch,
      fix: `Use a certificate whose subject alternative names include ${names(facts.missing)}, or connect to the host by a name in the certificate.`,
    }),
  ),
  'truststore-unreadable': unreadable('truststore'),
  'truststore-wrong-password': wrongPassword('truststore'),
  'truststore-key-password': keyPassword('truststore'),
  'truststore-not-a-store': notAStore('truststore'),
  'truststore-unsupported': unsupported('truststore'),
  'truststore-empty': error((facts: StoreFacts & { detail: string }) => ({
    message: `The truststore of ${shortListOf(facts.hosts)} has no trusted certificate: ${facts.detail}.`,
    why: trustsTruststoreOnly,
    fix: 'Import the authority: keytool -importcert -file authority.crt -alias authority -keystore FILE',
  })),
  'truststore-does-not-trust': error((facts: StoreFacts & { subject: string; issuer: string }) => ({
    message: `The truststore of ${shortListOf(facts.hosts)} does not trust the keystore: it has no valid issuer of ${facts.subject}.`,
    why: trustsTruststoreOnly,
    fix: `Import the certificate of ${facts.issuer}: keytool -importcert -file authority.crt -alias authority -keystore FILE`,
  })),
} as const
