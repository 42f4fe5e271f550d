import type { openedStoreEntries } from '../entries/openedStores.ts'
import type { Explanation } from './explanation.ts'

type Kind = 'keystore' | 'truststore'

const files = { keystore: 'tls/db1.p12', truststore: 'tls/trust.p12' } as const

const unreadable = (store: Kind): Explanation => ({
  title: `A ${store} that cannot be opened as a file`,
  about: [
    'The file is there, but reading it fails: it belongs to another user, it is a directory, or it is far too large for a store.',
    '',
    'Stores are often readable by the user alone who made them, and rightly so. Run muster as that user, or hand the file over; do not open it to everybody.',
    'In CI, look at the step that fetches it.',
  ],
  commands: `namei -l ${files[store]}
id -un`,
})

const wrongPassword = (store: Kind): Explanation => ({
  title: `The wrong password for a ${store}`,
  about: [
    `The file is a ${store}, and \`java-${store}-password\` does not open it. A store does not tell a wrong password from a damaged file, so both look alike.`,
    '',
    'Common causes: the password of the other store; a variable that holds the password of yesterday; blanks or quotes that a file or a secret store adds. muster drops one line break at the end of `!file` and `!exec`, and nothing else.',
  ],
  commands: `# asks for the password and tells whether it is right
keytool -list -keystore ${files[store]}
# shows blanks and line breaks at the end of a file
tail -c 4 store-password | od -c`,
})

const keyPassword = (store: Kind): Explanation => ({
  title: `A key in the ${store} with another password`,
  about: [
    'A store and each key in it can have passwords of their own; older JKS files often do. There is one option for both, so the key must have the same.',
    ...(store === 'truststore'
      ? ['', 'A truststore has no need of a private key at all. Perhaps the two paths were confused.']
      : []),
  ],
  commands: `# asks for the password of the store, then for those of the key
keytool -keypasswd -alias tls -keystore ${files[store]}`,
})

const notAStore = (store: Kind): Explanation => ({
  title: `A ${store} that is neither PKCS#12 nor JKS`,
  about: [
    'Usually it is a certificate or a key in PEM form, which starts with `-----BEGIN`, or what a web server answered when the file was to be downloaded.',
    '',
    'The name of the file does not matter; `.p12`, `.pfx`, `.jks` and `.ks` are all fine.',
  ],
  commands: `# what it is
file ${files[store]}
head -c 60 ${files[store]}`,
})

const unsupported = (store: Kind): Explanation => ({
  title: `A ${store} in a form that cannot be read`,
  about: [
    'It is a store, but its encryption or its kind is one that muster does not know, such as JCEKS or a PKCS#12 file protected by a public key.',
    '',
    'Java may well read it. Let `keytool` write it again as PKCS#12; that changes the wrapping only, key and certificates remain the same.',
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
    title: 'A keystore that everybody on this machine can read',
    about: [
      'The keystore has the private key of a host. Its password protects it only as long as nobody can take the file away and try passwords on it without being seen.',
      '',
      'A machine where others have worked may have copies already, in backups for one. If the key matters, have a new one made.',
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
      'Only certificates are in it. Either keystore and truststore were exchanged, or the store was made with `keytool -importcert` on a machine that never had the key.',
      '',
      'The key is where the certificate was requested. A certificate authority does not have it and cannot send it.',
    ],
    commands: `# PrivateKeyEntry is what a keystore needs
keytool -list -keystore tls/db1.p12`,
  },
  'keystore-alias-absent': {
    title: 'No key of the name that java-tls-alias gives',
    about: [
      'A keystore may hold several keys, and `java-tls-alias` (by default `tls`) says which of them the servers use. Capital letters do not count.',
      '',
      'Stores that OpenSSL made without `-name` call their key `1`. The message names what is there: set the option, or rename the key.',
    ],
    commands: `keytool -list -keystore tls/db1.p12
keytool -changealias -keystore tls/db1.p12 \\
  -alias 1 -destalias tls`,
  },
  'keystore-no-certificate': {
    title: 'A private key without its certificate',
    about: [
      'The key is in the store and its certificate is not, as when the request is still with the authority.',
      '',
      'Once the certificate is there, pack both together, and with them the certificates of the authorities in between: without those, clients that know only the root refuse the server.',
    ],
    commands: `# chain.pem: the certificate first, then its issuers
openssl pkcs12 -export -in chain.pem -inkey key.pem \\
  -name tls -out tls/db1.p12`,
  },
  'keystore-key-mismatch': {
    title: 'A key and a certificate that do not belong together',
    about: [
      'The public key in the certificate is not the counterpart of the private key. It happens at renewals: a new key is made, and the old certificate is packed with it, or the reverse.',
      '',
      'Compare the public keys of the parts. They must be the same, to the letter.',
    ],
    commands: `openssl pkey -in key.pem -pubout
openssl x509 -in cert.pem -noout -pubkey`,
  },
  'keystore-not-yet-valid': {
    title: 'A certificate whose time has not come',
    about: [
      'Its first day lies in the future by the clock of this machine. More often than the certificate, the clock is wrong: a virtual machine that was asleep, or one without time synchronisation.',
      '',
      'The clocks of the hosts count too, since components verify one another.',
    ],
    commands: showDates,
  },
  'keystore-expired': {
    title: 'A certificate that has expired',
    about: [
      'From the minute that stands in the certificate, clients refuse the server. Do not switch verification off in them: it takes longer than a new certificate, and it stays off.',
      '',
      'Renew it with the same names, replace the keystore and run `muster install`: it sends the new store and restarts the components.',
      'Where no outside authority is asked for, let muster make the stores: each install renews them in time.',
    ],
    commands: showDates,
  },
  'keystore-expires-soon': {
    title: 'A certificate that expires soon',
    about: [
      'Fewer days are left than `tls-warning-days` says. Everything works until the last of them, and then nothing does.',
      '',
      'If renewals are automatic and merely late by design, set the option below their rhythm, so that the warning means something when it comes.',
    ],
    commands: showDates,
  },
  'keystore-names-do-not-cover': {
    title: 'A certificate for other names than those of the host',
    about: [
      'None of the names and addresses by which muster knows the host is in the certificate, so every client that verifies it will refuse. Probably it belongs to another host.',
      '',
      'What counts are the subject alternative names. The common name (CN) has been ignored by clients for years, and an address must be there as an address: `IP:10.0.0.11`, not `DNS:10.0.0.11`.',
    ],
    commands: showCertificate,
  },
  'keystore-names-partly-cover': {
    title: 'A certificate that lacks some names of the host',
    about: [
      'Calls by the names that it has will work, calls by the others will not. Typically the DNS name is there and the address is not.',
      '',
      'If everybody calls the host by a name that the certificate has, say so in a `muster-ignore` comment.',
    ],
    commands: showCertificate,
  },
  'truststore-unreadable': unreadable('truststore'),
  'truststore-wrong-password': wrongPassword('truststore'),
  'truststore-key-password': keyPassword('truststore'),
  'truststore-not-a-store': notAStore('truststore'),
  'truststore-unsupported': unsupported('truststore'),
  'truststore-empty': {
    title: 'A truststore that trusts nobody',
    about: [
      'No certificate in it is marked as trusted. A store that `openssl pkcs12 -export -nokeys` made looks full, and Java takes it for empty: the mark is missing that `keytool` sets.',
      '',
      'Make it with `keytool -importcert`, from the certificate of the authority that signed the keystore.',
    ],
    commands: `# trustedCertEntry is what counts
keytool -list -keystore tls/trust.p12
keytool -importcert -noprompt -alias authority \\
  -file authority.crt -keystore tls/trust.p12`,
  },
  'truststore-does-not-trust': {
    title: 'A truststore that does not trust the keystore',
    about: [
      'The certificate in the keystore was issued by an authority that is not in the truststore, or only with a certificate that has expired. Components of one host would refuse those of another.',
      '',
      'It shows when a company changes its authority, or when only one of two stores was renewed. A truststore may hold the old and the new authority side by side while hosts are changed over.',
    ],
    commands: `openssl pkcs12 -in tls/db1.p12 -nokeys -clcerts \\
  | openssl x509 -noout -issuer
keytool -list -v -keystore tls/trust.p12 | grep Owner:`,
  },
} satisfies Record<keyof typeof openedStoreEntries, Explanation>
