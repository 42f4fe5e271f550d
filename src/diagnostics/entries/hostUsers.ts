import { listOf, shortListOf } from '../../base/words.ts'
import { error, note, warning } from '../entry.ts'

type HostFacts = { readonly host: string }
type UserFacts = HostFacts & { readonly user: string }

/** Users on the hosts, checked by `muster users verify`. */
export const hostUserEntries = {
  'user-missing': error((facts: UserFacts) => ({
    message: `The user ${facts.user} is missing on ${facts.host}.`,
    why: 'Logins as this user fail there.',
    fix: `Run muster users apply --host ${facts.host}; it restarts nothing.`,
  })),
  'user-password-differs': error((facts: UserFacts) => ({
    message: `The user ${facts.user} has a different password on ${facts.host}.`,
    why: 'It was changed without muster, or a run did not reach the host. muster does not try to log in: five failed logins lock a user out.',
    fix: `Run muster users apply --host ${facts.host} to set the known password.`,
  })),
  'user-access-differs': error((facts: UserFacts & { readonly is: string; readonly wanted: string }) => ({
    message: `The user ${facts.user} has the access level ${facts.is} on ${facts.host}; the file gives it ${facts.wanted}.`,
    why: 'It may do more or less there than the file says.',
    fix: `Run muster users apply --host ${facts.host} to set the level of the file; it restarts nothing.`,
  })),
  'user-password-replaced': error((facts: { readonly user: string; readonly date: string }) => ({
    message: `The file still has the password of ${facts.user} that was replaced on ${facts.date}.`,
    why: 'muster install and muster users apply refuse to set the old password again.',
    fix: 'Put the new password in the source that the file names. Or remove the password from the file: the state directory has the new one.',
  })),
  'user-extra': error((facts: UserFacts) => ({
    message: `The user ${facts.user} is on ${facts.host} but not in the file.`,
    why: 'Anyone with its password has the rights of its access level.',
    fix: `Add it to rest-api-users, or remove it: muster users apply --prune --host ${facts.host}`,
  })),
  'user-component-differs': error(
    (
      facts: HostFacts & {
        readonly component: string
        readonly lacks: readonly string[]
        readonly has: readonly string[]
      },
    ) => ({
      message: `The ${facts.component} of ${facts.host} differs from its user file: it ${listOf([
        ...(facts.lacks.length === 0 ? [] : [`lacks ${shortListOf(facts.lacks)}`]),
        ...(facts.has.length === 0 ? [] : [`also has ${shortListOf(facts.has)}`]),
      ])}.`,
      why: 'All components of a host share one user file and load changes at once; this one did not.',
      fix: `Run muster logs --host ${facts.host} to see why; muster restart --host ${facts.host} --component ${facts.component} loads it again.`,
    }),
  ),
  'user-login-refused': error(
    (
      facts: UserFacts & { readonly component: string; readonly where: string; readonly response: string },
    ) => ({
      message: `The ${facts.component} of ${facts.host} at ${facts.where} rejected the login of ${facts.user}: ${facts.response}`,
      why: 'The password matches its user file, but clients that use it are rejected.',
      fix: `Run muster logs --host ${facts.host}, and muster cert check --host ${facts.host} to check its certificate.`,
    }),
  ),
  'user-component-silent': error(
    (facts: HostFacts & { readonly component: string; readonly reason: string }) => ({
      message: `The ${facts.component} of ${facts.host} did not list its users: ${facts.reason}`,
      why: 'The users that it accepts are unknown.',
      fix: `Run muster status and muster logs --host ${facts.host}.`,
    }),
  ),
  'user-host-unreachable': error((facts: HostFacts & { readonly reason: string }) => ({
    message: `${facts.host} is unreachable: ${facts.reason}`,
    why: 'The users of this host are unknown.',
    fix: `Run muster check --host ${facts.host}; if the host is down on purpose, exclude it with --host.`,
  })),
  'user-host-failed': error((facts: HostFacts & { readonly reason: string }) => ({
    message: `${facts.host} could not be checked: ${facts.reason}`,
    why: 'The users of this host are unknown.',
    fix: `Run muster check --host ${facts.host}.`,
  })),
  'user-not-installed': warning((facts: HostFacts) => ({
    message: `${facts.host} is in the file, but nothing is installed there.`,
    why: 'It has no users yet, so there is nothing to check.',
    fix: `Run muster install --host ${facts.host}, or exclude the host with --host.`,
  })),
  'user-untried': note(
    (facts: {
      readonly user: string
      readonly hosts: readonly string[]
      /** The hosts have different hashes of the password. */
      readonly differ: boolean
    }) => ({
      message: `Skipped the login as ${facts.user} on ${shortListOf(facts.hosts, 8)}: the password is unknown${facts.differ ? ' and may differ between these hosts' : ''}.`,
      why: 'Only a login verifies a password, and failed logins lock a user out.',
      fix: 'Set its password in the file, or generate one: muster users apply --generate',
    }),
  ),
} as const
