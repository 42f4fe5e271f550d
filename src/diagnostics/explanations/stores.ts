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
      'The keystore holds the private key of a host and its certificate, the truststore the authorities whose certificates it accepts from others. They fit together only when both come from the same place.',
      '',
      'So give both, or neither: muster then makes an authority for the cluster and both stores from it, which is what most installations want.',
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
      'Passwords are made only for the stores that muster makes. Those that you bring have one already, and there is no default: `changeit`, which Java ships with, is a default that everybody knows.',
      '',
      'Key and store must have the same password, since there is one option for both.',
    ],
    bad: smallFile({
      defaults: ['java-tls-keystore-path: tls/db1.p12', ...truststore].join('\n'),
    }),
    good: smallFile({ defaults: withStores('tls/db1.p12') }),
    commands: `# asks for the password and tells whether it is right
keytool -list -keystore tls/db1.p12`,
  },
  'store-path-form': {
    title: 'A host:/path that is not absolute',
    about: [
      'A store path can mean two machines. Without a prefix it is a file on this one, relative to the YAML file, and muster sends it. With `host:` it is a file that is on the host already: muster reads it there to check it and leaves it where it is.',
      '',
      'A host has no folder to start from, so the path after `host:` begins with a slash.',
    ],
    bad: smallFile({ defaults: withStores('host:tls/db1.p12') }),
    good: smallFile({ defaults: withStores('host:/etc/pki/tls/db1.p12') }),
  },
  'store-not-found': {
    title: 'A store that is not there',
    about: [
      'The path is relative to the YAML file that names it, wherever you start the command; `~/` is your home, and with `--set` it is relative to the working directory.',
      '',
      'A fresh clone is a frequent cause: stores are rightly kept out of git, so CI has to fetch them before it validates.',
      'If the file is on the host and not here, say so with `host:` in front of an absolute path.',
    ],
    bad: smallFile({ defaults: withStores('tsl/db1.p12') }),
    good: smallFile({ defaults: withStores('tls/db1.p12') }),
    commands: `ls -l tls/
git check-ignore -v tls/db1.p12`,
  },
  'shared-keystore': {
    title: 'One keystore for several hosts',
    about: [
      'It works as long as the certificate has the names and addresses of all of them. But the private key then lies on every one, and when a single host is broken into, all must get a new one.',
      '',
      'A wildcard certificate (`*.db.example.org`) has the same weakness, and it does not cover calls by address.',
      'Where the authority gives only one certificate, this may be the price. Then say so in a `muster-ignore` comment.',
    ],
    bad: twoHosts({ db1: 'tls/all.p12', app1: 'tls/all.p12' }),
    good: twoHosts({ db1: 'tls/db1.p12', app1: 'tls/app1.p12' }),
  },
  'warning-days-too-long': {
    title: 'A warning period longer than the certificate lives',
    about: [
      '`tls-warning-days` says how long before its end a certificate counts as expiring. When a new one counts as expiring already, the warning is always there, and soon nobody reads it.',
      '',
      'A tenth of the lifetime is a good measure: 30 days of 365, or 9 of 90.',
      'If the lifetime was made shorter, shorten this as well.',
    ],
    bad: smallFile({ defaults: 'java-tls-key-lifetime: 30\ntls-warning-days: 30' }),
    good: smallFile({ defaults: 'java-tls-key-lifetime: 30\ntls-warning-days: 3' }),
  },
} satisfies Record<keyof typeof storeEntries, Explanation>
