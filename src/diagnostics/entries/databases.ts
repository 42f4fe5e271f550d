import { durationText } from '../../base/time.ts'
import { listOf, shortListOf } from '../../base/words.ts'
import { error, warning } from '../entry.ts'

/** Databases, their accounts, and the proxy. */
export const databaseEntries = {
  'database-incomplete': warning(
    (facts: {
      given: string
      missing: readonly string[]
      hosts: readonly string[]
      consequence: string
      example: string
    }) => ({
      message: `${facts.given} is set for ${shortListOf(facts.hosts)}, but not ${listOf(facts.missing, 'or')}.`,
      why: facts.consequence,
      fix: `Add, for example: ${facts.example}`,
    }),
  ),
  'same-database': error((facts: { host: string; other: string; service: string; place: string }) => ({
    message: `${facts.host} and ${facts.other} would be the same database of ${facts.service}: ${facts.place}.`,
    why: 'A data source is one server; taking one of the two offline would leave the other in use.',
    fix: `Give ${facts.host} a replication-host that the other hosts can reach, or a different replication-port.`,
  })),
  'switch-drain-too-long': warning(
    (facts: { drain: number; hosts: readonly string[]; hold: number; connector: string }) => ({
      message:
        `switch-drain-timeout of ${shortListOf(facts.hosts)} (${durationText(facts.drain)}) is not below ` +
        `connector-max-hold of ${facts.connector} (${durationText(facts.hold)}).`,
      why: 'While a switch of the primary waits for open transactions, its clients would get an error.',
      fix: 'Set a shorter switch-drain-timeout, or a longer connector-max-hold.',
    }),
  ),
  'connector-of-several': error((facts: { host: string; services: readonly string[] }) => ({
    message: `The connector of ${facts.host} would serve the clients of ${listOf(facts.services)}.`,
    why: 'It has only one application-port, for the primary of one service.',
    fix: `Keep ${facts.host} in the connectors of only one of them.`,
  })),
} as const
