import { counted, listOf, shortListOf } from '../../base/words.ts'
import { error, note, warning } from '../entry.ts'

type HostReason = { readonly host: string; readonly reason: string }

type CheckFacts = HostReason & { readonly check: string; readonly fix: string }

/** Differences between the hosts and the file, found by `muster drift`, each before those that it explains. */
export const driftEntries = {
  'drift-host-unreachable': error((facts: HostReason) => ({
    message: `${facts.host} is unreachable: ${facts.reason}`,
    why: 'It is unknown if the host differs from the file.',
    fix: `Run muster check --host ${facts.host}; if the host is down on purpose, exclude it with --host.`,
  })),
  'drift-host-failed': error((facts: HostReason) => ({
    message: `${facts.host} could not be examined: ${facts.reason}`,
    why: 'It is unknown if the host differs from the file.',
    fix: `Run muster check --host ${facts.host}.`,
  })),
  'drift-not-planned': error((facts: HostReason & { fix: string }) => ({
    message: `No plan could be made for ${facts.host}: ${facts.reason}`,
    why: 'It is unknown if the host differs from the file.',
    fix: facts.fix,
  })),
  'drift-check': error((facts: CheckFacts) => ({
    message: `The check ${facts.check} fails on ${facts.host}: ${facts.reason}`,
    why: 'An installation would refuse the host, or the host would not work as the file says.',
    fix: facts.fix,
  })),
  'drift-component-stopped': error((facts: { host: string; components: readonly string[] }) => ({
    message: `The ${listOf(facts.components)} of ${facts.host} ${facts.components.length === 1 ? 'does' : 'do'} not run.`,
    why: 'It was stopped, or it failed; its certificate and its users cannot be examined.',
    fix: `Run muster logs --host ${facts.host} to see why, then muster start --host ${facts.host}.`,
  })),
  'drift-host-left': warning((facts: { host: string; what: string; end: string }) => ({
    message: `${facts.host} left the file. ${facts.what}`,
    why: 'A host that left the file serves clients with the map of its last installation; a new password or a removed user never reaches it.',
    fix: facts.end,
  })),
  'drift-changes': warning(
    (facts: {
      host: string
      changes: readonly string[]
      /** Hosts with the same changes. */
      others?: readonly string[]
    }) => {
      const { host, changes, others = [] } = facts
      const made = `${counted(changes.length, 'change')}${others.length === 0 ? '' : ' on each'}`
      const hosts = [host, ...others]
      // As many as fit on a line; all hosts beyond that.
      const limit = hosts.length > 8 ? '' : ` --host ${hosts.join()}`
      return {
        message: `${shortListOf(hosts, 12)} ${others.length === 0 ? 'differs' : 'differ'} from the file; install would make ${made}: ${shortListOf(changes, 6)}.`,
        why: 'Somebody changed the host or the file since the last installation, or muster is newer than the release on the host.',
        fix: `Run muster plan${limit} to see the differences, then muster install${limit}.`,
      }
    },
  ),
  'drift-check-warning': note((facts: CheckFacts) => ({
    message: `The check ${facts.check} warns on ${facts.host}: ${facts.reason}`,
    why: 'It does not prevent an installation.',
    fix: facts.fix,
  })),
} as const
