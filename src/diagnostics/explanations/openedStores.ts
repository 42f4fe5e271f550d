import type { openedStoreEntries } from '../entries/openedStores.ts'
import type { Explanation } from './explanation.ts'

type Kind = 'keystore' | 'truststore'

const files = { keystore: 'tls/db1.p12', truststore: 'tls/trust.p12' } as const

const unreadable = (store: Kind): Explanation => ({
  title: `A ${store} that cannot be opened as a file`,
  about: [
    'The file exists but cannot be read: it belongs to another user, it is a directory, or it is too large for a store.',
    '',
    'Often, and correctly, only the user who created a store can read it. Run muster as that user, or change the owner of the file; do not make it readable for everyone.',
    'In CI, check the step that fetches it.',
  ],
  commands: `namei -l ${files[store]}
id -un`,
})

const wrongPassword = (store: Kind): Explanation => ({
  title: `The wrong password for a ${store}`,
  about: [
    `The file is a ${store}, and \`java-${store}-password\` does not open it. A wrong password and a damaged file look the same.`,
    '',
    'Common causes: the password of the other store; a variable with an old password; spaces or quotes added by a file or a secret store. muster drops one line break at the end of `!file` and `!exec`, and nothing else.',
  ],
  commands: `# asks for the password and checks it
keytool -list -keystore ${files[store]}
# shows spaces and line breaks at the end of a file
tail -c 4 store-password | od -c`,
})

const keyPassword = (store: Kind): Explanation => ({
  title: `A key in the ${store} with another password`,
  about: [
    'A store and each key in it can have different passwords; older JKS files often do. There is one option for both, so the passwords must be the same.',
    ...(store === 'truststore'
      ? ['', 'A truststore needs no private key. Perhaps the two paths were swapped.']
      : []),
  ],
  commands: `# asks for the password of the store, then for those of the key
keytool -keypasswd -alias tls -keystore ${files[store]}`,
})

const notAStore = (store: Kind): Explanation => ({
  title: `A ${store} that is neither PKCS#12 nor JKS`,
  about: [
    'Usually it is a certificate or a key in PEM form, which starts with `-----BEGIN`, or an error page that a web server sent instead of the file.',
    '',
    'The name of the file does not matter; `.p12`, `.pfx`, `.jks` and `.ks` are all allowed.',
  ],
  commands: `# what it is
file ${files[store]}
head -c 60 ${files[store]}`,
})

const unsupported = (store: Kind): Explanation => ({
  title: `A ${store} in a form that cannot be read`,
  about: [
    'It is a store, but muster does not support its encryption or its format, such as JCEKS or a PKCS#12 file protected by a public key.',
    '',
    'Java may be able to read it. Convert it to PKCS#12 with `keytool`; key and certificates stay the same.',
  ],
  commands: `keytool -importkeystore -deststoretype pkcs12 \\
  -srckeystore ${files[store]} -destkeystore new.p12`,
})

const showCertificate = `# names, validity and issuer of the certificate
openssl pkcs12 -in tls/db1.p12 -nokeys -clcerts \\
  | openssl x509 -noout -text`

const showDates = `openssl pkcs12 -in tls/db1.p12 -nokeys -clcerts \\
  | openssl x509 -noout -dates
date -u`

/** Keystore and truststore: whether they can be read and opened, and what is in them. */
export const openedStoreExplanations = {
  'keystore-unreadable': unreadable('keystore'),
  'keystore-world-readable': {
    title: 'A keystore that everyone on this machine can read',
    about: [
      'The keystore has the private key of a host. Anyone who copies the file can try passwords on it unnoticed.',
      '',
      'On a shared machine, copies may already exist, for example in backups. If the key is important, create a new one.',
    ],
    commands: `chmod 600 tls/db1.p12
ls -l tls/`,
  },
  'keystore-wrong-password': wrongPassword('keystore'),
  'keystore-key-password': keyPassword('keystore'),
  'keystore-not-a-store': notAStore('keystore'),
  'keystore-unsupported': unsupported('keystore'),
  'keystore-no-private-key': {
    title: 'A keystore without a private key',
    about: [
      'It has only certificates. Either keystore and truststore were swapped, or the store was made with `keytool -importcert` on a machine without the key.',
      '',
      'The key is on the machine where the certificate was requested. A certificate authority does not have it.',
    ],
    commands: `# PrivateKeyEntry is what a keystore needs
keytool -list -keystore tls/db1.p12`,
  },
  'keystore-alias-absent': {
    title: 'No key with the name in java-tls-alias',
    about: [
      'A keystore may have several keys, and `java-tls-alias` (by default `tls`) names the one that the servers use. It is not case-sensitive.',
      '',
      'In stores made by OpenSSL without `-name`, the key is named `1`. The message lists the names: set the option, or rename the key.',
    ],
    commands: `keytool -list -keystore tls/db1.p12
keytool -changealias -keystore tls/db1.p12 \\
  -alias 1 -destalias tls`,
  },
  'keystore-no-certificate': {
    title: 'A private key without its certificate',
    about: [
      'The store has the key but not its certificate, for example because the authority has not signed it yet.',
      '',
      'When you have the certificate, put both into one store, with the intermediate certificates: without those, clients that know only the root refuse the server.',
    ],
    commands: `# chain.pem: the certificate first, then its issuers
openssl pkcs12 -export -in chain.pem -inkey key.pem \\
  -name tls -out tls/db1.p12`,
  },
  'keystore-key-mismatch': {
    title: 'A key and a certificate that do not match',
    about: [
      'The public key in the certificate does not match the private key. This happens at renewals: a new key is stored with the old certificate, or the reverse.',
      '',
      'Compare the public keys of both. They must be identical.',
    ],
    commands: `openssl pkey -in key.pem -pubout
openssl x509 -in cert.pem -noout -pubkey`,
  },
  'keystore-not-yet-valid': {
    title: 'A certificate that is not valid yet',
    about: [
      'By the clock of this machine, its first day is in the future. Usually the clock is wrong: on a virtual machine that was suspended, or without time synchronisation.',
      '',
      'The clocks of the hosts matter too, because components verify each other.',
    ],
    commands: showDates,
  },
  'keystore-expired': {
    title: 'A certificate that has expired',
    about: [
      'From the time in the certificate on, clients refuse the server. Do not turn off verification in clients: that takes longer than a new certificate, and it stays off.',
      '',
      'Renew it with the same names, replace the keystore and run `muster install`: it sends the new store and restarts the components.',
      'If you do not need an outside authority, let muster make the stores: each install renews them in time.',
    ],
    commands: showDates,
  },
  'keystore-expires-soon': {
    title: 'A certificate that expires soon',
    about: [
      'Fewer days are left than `tls-warning-days`. Everything works until the certificate expires, then nothing does.',
      '',
      'If renewals are automatic, set the option below the number of days before expiry at which they happen, so that the warning means a failed renewal.',
    ],
    commands: showDates,
  },
  'keystore-names-do-not-cover': {
    title: 'A certificate for other names than those of the host',
    about: [
      'None of the names and addresses by which muster knows the host is in the certificate, so every client that verifies it refuses the connection. It is probably for another host.',
      '',
      'Only the subject alternative names are used. Clients ignore the common name (CN), and an address must be an IP entry: `IP:10.0.0.11`, not `DNS:10.0.0.11`.',
    ],
    commands: showCertificate,
  },
  'keystore-names-partly-cover': {
    title: 'A certificate that lacks some names of the host',
    about: [
      'Calls by the names in the certificate work, calls by other names do not. Often the DNS name is there but the address is not.',
      '',
      'If all clients call the host by a name in the certificate, add a `muster-ignore` comment.',
    ],
    commands: showCertificate,
  },
  'truststore-unreadable': unreadable('truststore'),
  'truststore-wrong-password': wrongPassword('truststore'),
  'truststore-key-password': keyPassword('truststore'),
  'truststore-not-a-store': notAStore('truststore'),
  'truststore-unsupported': unsupported('truststore'),
  'truststore-empty': {
    title: 'A truststore without a trusted certificate',
    about: [
      'No certificate in it is marked as trusted. For Java, a store made by `openssl pkcs12 -export -nokeys` is empty: it lacks the mark that `keytool` sets.',
      '',
      'Create it with `keytool -importcert` from the certificate of the authority that signed the keystore.',
    ],
    commands: `# look for trustedCertEntry
keytool -list -keystore tls/trust.p12
keytool -importcert -noprompt -alias authority \\
  -file authority.crt -keystore tls/trust.p12`,
  },
  'truststore-does-not-trust': {
    title: 'A truststore that does not trust the keystore',
    about: [
      'The certificate in the keystore was issued by an authority that is not in the truststore, or whose certificate there has expired. Components of one host would refuse those of another.',
      '',
      'This happens when a company changes its authority, or when only one of two stores was renewed. A truststore may have both the old and the new authority while hosts change over.',
    ],
    commands: `openssl pkcs12 -in tls/db1.p12 -nokeys -clcerts \\
  | openssl x509 -noout -issuer
keytool -list -v -keystore tls/trust.p12 | grep Owner:`,
  },
} satisfies Record<keyof typeof openedStoreEntries, Explanation>
