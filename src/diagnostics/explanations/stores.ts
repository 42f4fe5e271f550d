import type { storeEntries } from '../entries/stores.ts'
import type { Explanation } from './explanation.ts'
import { smallFile } from './smallFile.ts'

const keystore = (path: string): readonly string[] => [
  `java-tls-keystore-path: ${path}`,
  'java-keystore-password: !env STORE_PASS',
]

const truststore = [
  'java-truststore-path: tls/trust.p12',
  'java-truststore-password: !env STORE_PASS',
] as const

const withStores = (path: string): string => [...keystore(path), ...truststore].join('\n')

const twoHosts = (options: { readonly db1: string; readonly app1: string }): string => `cluster: alpha
defaults:
  java-keystore-password: !env STORE_PASS
  java-truststore-path: tls/trust.p12
  java-truststore-password: !env STORE_PASS
services:
  alpha:
    topology: clustered
    members: [db1]
    connectors: [app1]
hosts:
  db1:
    options: { java-tls-keystore-path: ${options.db1} }
  app1:
    options: { java-tls-keystore-path: ${options.app1} }`

/** Keystore and truststore, as far as they can be judged without opening them. */
export const storeExplanations = {
  'one-store-only': {
    title: 'A keystore without a truststore, or the reverse',
    about: [
      'The keystore holds the private key of a host and its certificate, the truststore the authorities that it trusts. They match only if both come from the same source.',
      '',
      'So set both or neither. If you set neither, muster makes an authority for the cluster and both stores; most installations use this.',
      'If your certificate comes from a company authority, the truststore holds the certificate of that authority.',
    ],
    bad: smallFile({ defaults: keystore('tls/db1.p12').join('\n') }),
    good: smallFile({ defaults: withStores('tls/db1.p12') }),
    commands: `# a truststore from the certificate of an authority
keytool -importcert -noprompt -alias authority \\
  -file authority.crt -keystore tls/trust.p12`,
  },
  'store-password-missing': {
    title: 'A store without its password',
    about: [
      'muster generates passwords only for the stores that it makes. Your own stores already have one, and there is no default: `changeit`, the default of Java, is widely known.',
      '',
      'Key and store must have the same password, because there is one option for both.',
    ],
    bad: smallFile({
      defaults: ['java-tls-keystore-path: tls/db1.p12', ...truststore].join('\n'),
    }),
    good: smallFile({ defaults: withStores('tls/db1.p12') }),
    commands: `# asks for the password and checks it
keytool -list -keystore tls/db1.p12`,
  },
  'store-path-form': {
    title: 'A host:/path that is not absolute',
    about: [
      'Without a prefix, a store path is a file on this machine, relative to the YAML file, and muster sends it. With `host:` it is a file that is already on the host: muster reads it there to check it and does not move it.',
      '',
      'The path after `host:` must be absolute, so it starts with a slash.',
    ],
    bad: smallFile({ defaults: withStores('host:tls/db1.p12') }),
    good: smallFile({ defaults: withStores('host:/etc/pki/tls/db1.p12') }),
  },
  'store-not-found': {
    title: 'A store that does not exist',
    about: [
      'The path is relative to the YAML file that names it; `~/` is your home, and with `--set` it is relative to the working directory.',
      '',
      'A common cause is a fresh clone: stores should not be in git, so CI must fetch them before it validates.',
      'If the file is on the host and not here, write `host:` before an absolute path.',
    ],
    bad: smallFile({ defaults: withStores('tsl/db1.p12') }),
    good: smallFile({ defaults: withStores('tls/db1.p12') }),
    commands: `ls -l tls/
git check-ignore -v tls/db1.p12`,
  },
  'shared-keystore': {
    title: 'One keystore for several hosts',
    about: [
      'This works if the certificate has the names and addresses of all of them. But then the private key is on every host, and if one host is compromised, all need a new one.',
      '',
      'A wildcard certificate (`*.db.example.org`) has the same weakness, and it does not cover calls by address.',
      'If the authority issues only one certificate, accept this and add a `muster-ignore` comment.',
    ],
    bad: twoHosts({ db1: 'tls/all.p12', app1: 'tls/all.p12' }),
    good: twoHosts({ db1: 'tls/db1.p12', app1: 'tls/app1.p12' }),
  },
  'warning-days-too-long': {
    title: 'A warning period longer than the lifetime of a certificate',
    about: [
      '`tls-warning-days` sets how many days before it expires a certificate is reported. If this is longer than its lifetime, even a new certificate is reported.',
      '',
      'A tenth of the lifetime is a good value: 30 days of 365, or 9 of 90.',
      'If you shorten the lifetime, shorten this too.',
    ],
    bad: smallFile({ defaults: 'java-tls-key-lifetime: 30\ntls-warning-days: 30' }),
    good: smallFile({ defaults: 'java-tls-key-lifetime: 30\ntls-warning-days: 3' }),
  },
} satisfies Record<keyof typeof storeEntries, Explanation>
