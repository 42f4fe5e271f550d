import { error, note, warning } from '../entry.ts'
import { listOf, shortListOf } from '../words.ts'

type On = { readonly host: string }
type Of = On & { readonly user: string }

/** The users of hosts as they are now: found by `muster users verify`, which asks the hosts. */
export const userEntries = {
  'user-missing': error((facts: Of) => ({
    message: `The user ${facts.user} is missing on ${facts.host}.`,
    why: 'Whoever logs in as this user elsewhere is refused there.',
    fix: `Run muster users apply --host ${facts.host}: it restarts nothing.`,
  })),
  'user-password-differs': error((facts: Of) => ({
    message: `The user ${facts.user} has another password on ${facts.host} than the known one.`,
    why: 'It was changed past muster, or a run never got there. It was not tried: five wrong logins lock a user out.',
    fix: `Run muster users apply --host ${facts.host}: it gives the host the known one.`,
  })),
  'user-password-replaced': error((facts: { readonly user: string; readonly date: string }) => ({
    message: `The file still gives the password of ${facts.user} that was replaced on ${facts.date}.`,
    why: 'muster install and muster users apply refuse it: they would bring it back.',
    fix: 'Put the new password where the file takes it from; or leave it out there, and the kept one is taken.',
  })),
  'user-extra': error((facts: Of) => ({
    message: `The user ${facts.user} is on ${facts.host}, and the file does not name it.`,
    why: 'Whoever has its password can do all that an administrator can.',
    fix: `Name it in rest-api-users, or remove it: muster users apply --prune --host ${facts.host}`,
  })),
  'user-component-differs': error(
    (
      facts: On & {
        readonly component: string
        readonly lacks: readonly string[]
        readonly has: readonly string[]
      },
    ) => ({
      message: `The ${facts.component} of ${facts.host} ${listOf([
        ...(facts.lacks.length === 0 ? [] : [`does not know ${shortListOf(facts.lacks)}`]),
        ...(facts.has.length === 0 ? [] : [`knows ${shortListOf(facts.has)}`]),
      ])}, ${facts.lacks.length === 0 ? 'who is not in its user file' : 'unlike its user file'}.`,
      why: 'All components of a host share one user file and follow it at once: this one does not.',
      fix: `See muster logs --host ${facts.host}; muster restart --host ${facts.host} --component ${facts.component} reads it again.`,
    }),
  ),
  'user-login-refused': error(
    (facts: Of & { readonly component: string; readonly where: string; readonly said: string }) => ({
      message: `The ${facts.component} of ${facts.host} at ${facts.where} did not let ${facts.user} in: ${facts.said}`,
      why: 'Its user file has this very password: clients that give it are turned away all the same.',
      fix: `See muster logs --host ${facts.host}; muster cert check --host ${facts.host} judges its certificate.`,
    }),
  ),
  'user-component-silent': error((facts: On & { readonly component: string; readonly reason: string }) => ({
    message: `The ${facts.component} of ${facts.host} could not be asked for its users: ${facts.reason}`,
    why: 'Whom it lets in is not known; perhaps nobody.',
    fix: `See muster status and muster logs --host ${facts.host}.`,
  })),
  'user-host-unreachable': error((facts: On & { readonly reason: string }) => ({
    message: `${facts.host} could not be reached: ${facts.reason}`,
    why: 'Who can log in there is not known.',
    fix: `Run muster check --host ${facts.host}; where the host is down on purpose, leave it out with --host.`,
  })),
  'user-host-failed': error((facts: On & { readonly reason: string }) => ({
    message: `${facts.host} could not be looked at: ${facts.reason}`,
    why: 'Who can log in there is not known.',
    fix: `Run muster check --host ${facts.host}.`,
  })),
  'user-not-installed': warning((facts: On) => ({
    message: `${facts.host} is in the file and nothing is installed there.`,
    why: 'It has no users yet, so there is nothing to judge.',
    fix: `Run muster install --host ${facts.host}, or leave the host out with --host.`,
  })),
  'user-untried': note(
    (facts: {
      readonly user: string
      readonly hosts: readonly string[]
      /** Whether the hosts keep different hashes of the password. */
      readonly differ: boolean
    }) => ({
      message: `Nobody could log in as ${facts.user} on ${shortListOf(facts.hosts, 8)}: the password is not known here${facts.differ ? ', and may differ between these hosts' : ''}.`,
      why: 'Only a login proves a password, and wrong ones lock a user out.',
      fix: 'Give its password in the file, or have one made: muster users apply --generate',
    }),
  ),
} as const
