import { error, warning } from '../entry.ts'
import { shortListOf } from '../words.ts'

/** Keystore and truststore, as far as they can be judged without opening them. */
export const storeEntries = {
  'one-store-only': error((facts: { given: string; missing: string }) => ({
    message: `${facts.given} is given without ${facts.missing}.`,
    why: 'Stores are either both yours or both generated: a generated one would not fit the other.',
    fix: `Add ${facts.missing}, or remove ${facts.given}.`,
  })),
  'store-password-missing': error((facts: { path: string; password: string }) => ({
    message: `${facts.path} is given without ${facts.password}.`,
    why: 'An existing store cannot be opened without its password.',
    fix: `Add for example: ${facts.password}: !env STORE_PASS`,
  })),
  'store-path-form': error((facts: { name: string }) => ({
    message: `What follows host: in ${facts.name} is not an absolute path.`,
    why: 'host:/path is a file on the host itself, where there is no folder it could be relative to.',
    fix: 'Write for example: host:/etc/pki/muster/keystore.p12',
  })),
  'store-not-found': error((facts: { name: string; path: string }) => ({
    message: `${facts.name} names ${facts.path}, which is not there.`,
    why: 'Without it no host can serve TLS.',
    fix: 'Correct the path (it is relative to this file), or remove both store options and they are generated.',
  })),
  'shared-keystore': warning((facts: { hosts: readonly string[] }) => ({
    message: `One keystore serves ${shortListOf(facts.hosts)}.`,
    why: 'Whoever gets the key of one host has those of all, and one certificate must carry every name.',
    fix: 'Give each host its own keystore under its options, or remove the paths and each gets one.',
  })),
  'warning-days-too-long': warning((facts: { warning: number; lifetime: number }) => ({
    message: `tls-warning-days (${facts.warning}) is not below java-tls-key-lifetime (${facts.lifetime}).`,
    why: 'Every certificate would count as expiring from its first day.',
    fix: 'Choose fewer days, such as 30.',
  })),
} as const
