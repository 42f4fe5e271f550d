import { error, warning } from '../entry.ts'

/** Facts of a contradiction: its data source, its service and the words of the manager. */
type Of = { readonly datasource: string; readonly service: string; readonly reason: string }

/** Returns the text of a contradiction. */
const text = (why: string, fix: string) => (facts: Of) => ({
  message: `${facts.datasource} of ${facts.service}: ${facts.reason}`,
  why,
  fix,
})

/** Contradictions between the databases of a service, found by its managers (contract.md, "Manager"). */
export const contradictionEntries = {
  'two-writers': error(
    text(
      'Rows that are written to both diverge, so clients can write to neither.',
      'Make one of them a replica, or take it out with tapi datasource shun.',
    ),
  ),
  'no-writer': error(
    text(
      'Clients that write wait, and are then refused.',
      'Read with tapi service status why, and name the primary with tapi map set.',
    ),
  ),
  'read-only-primary': error(
    text('Clients cannot write to it.', 'Run SET GLOBAL read_only = 0 on it, or promote another server.'),
  ),
  'writable-replica': warning(
    text('What is written there is on no other server.', 'Run SET GLOBAL read_only = 1 on it.'),
  ),
  'not-replicating': error(
    text('Its rows get older and older, so it takes no connections.', 'Start or set up its replication.'),
  ),
  'follows-other': error(
    text('It lacks what clients write, so it takes no connections.', 'Let it follow the primary.'),
  ),
  'unknown-server': error(
    text(
      'It has the rows of another service, so it takes no connections.',
      'Let it follow the primary, or add its source to the services map.',
    ),
  ),
  'errant-transactions': warning(
    text(
      'Its rows differ from those of the primary, and it cannot take its place.',
      'Compare the rows, then make the replica again from a copy of the primary.',
    ),
  ),
  'partial-replica': warning(
    text(
      'Replicas may lack rows, and cannot take the place of the primary.',
      'Remove the setting, then make replicas that lack rows again from a copy of the primary.',
    ),
  ),
} as const
