import { shortListOf } from '../../base/words.ts'
import { error, warning } from '../entry.ts'

/** Settings of keystores and truststores, checked without opening them. */
export const storeEntries = {
  'one-store-only': error((facts: { given: string; missing: string }) => ({
    message: `${facts.given} is set without ${facts.missing}.`,
    why: 'Provide both stores or none: a generated store would not match your own.',
    fix: `Add ${facts.missing}, or remove ${facts.given}.`,
  })),
  'store-password-missing': error((facts: { path: string; password: string }) => ({
    message: `${facts.path} is set without ${facts.password}.`,
    why: 'An existing store cannot be opened without its password.',
    fix: `Add, for example: ${facts.password}: !env STORE_PASS`,
  })),
  'store-path-form': error((facts: { name: string }) => ({
    message: `The path after host: in ${facts.name} is not absolute.`,
    why: 'host:/path is a file on the host itself, so the path cannot be relative.',
    fix: 'Write, for example: host:/etc/pki/muster/keystore.p12',
  })),
  'store-not-found': error((facts: { name: string; path: string }) => ({
    message: `${facts.name} names ${facts.path}, which does not exist.`,
    why: 'Hosts cannot serve TLS without it.',
    fix: 'Correct the path (it is relative to this file), or remove both store options to have them generated.',
  })),
  'shared-keystore': warning((facts: { hosts: readonly string[] }) => ({
    message: `One keystore is used for ${shortListOf(facts.hosts)}.`,
    why: 'If the key of one host leaks, all hosts are affected. The certificate must have the names of all of them.',
    fix: 'Give each host its own keystore under its options, or remove the paths to have one generated for each.',
  })),
  'warning-days-too-long': warning((facts: { warning: number; lifetime: number }) => ({
    message: `tls-warning-days (${facts.warning}) is not below java-tls-key-lifetime (${facts.lifetime}).`,
    why: 'Every certificate would be reported as expiring from its first day.',
    fix: 'Set fewer days, such as 30.',
  })),
} as const
