import { command, type Definition, flag, reaching, runsOnFiles } from './definition.ts'

/** Runs that are going on, and those that were. */
export const runs: Definition = (world) => [
  command('lock', 'show or release the locks by which runs keep each other out', world)
    .addCommand(
      runsOnFiles(
        reaching(command('status', 'tell who holds the lock of each host', world)).option(
          '--json',
          'print the locks as JSON',
        ),
        world,
        async (options, made) => {
          const { lockStatus } = await import('../lock.ts')
          return lockStatus({ ...options, json: flag(made, 'json') })
        },
      ),
    )
    .addCommand(
      runsOnFiles(
        reaching(command('release', 'take away the locks of runs that are gone', world))
          .option('-y, --yes', 'release without asking')
          .option('--json', 'print the locks as JSON'),
        world,
        async (options, made) => {
          const { lockRelease } = await import('../lock.ts')
          return lockRelease({ ...options, yes: flag(made, 'yes'), json: flag(made, 'json') })
        },
      ),
    ),
  runsOnFiles(
    reaching(command('audit', 'list the runs of a cluster, or show one: muster audit ID', world))
      .option('--verify', 'check on every host that no line of the audit logs was changed or removed')
      .option('--json', 'print the records as JSON')
      .addHelpText(
        'after',
        '\nA FILE that begins as a run does, such as 20260102T03, or `last`, is its ID: the last such run is shown.',
      ),
    world,
    async (options, made) => {
      if (flag(made, 'verify')) {
        const { verifyAudit } = await import('../verifyAudit.ts')
        return verifyAudit({ ...options, json: flag(made, 'json') })
      }
      const { audit, isRunId } = await import('../audit.ts')
      const [first, ...rest] = options.files
      const id = first !== undefined && isRunId(first) ? first : undefined
      const named = id === undefined ? options.files : rest
      return audit({ ...options, files: named, id, json: flag(made, 'json') })
    },
  ),
]
