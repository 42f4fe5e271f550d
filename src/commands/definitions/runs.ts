import { command, type Definition, flag, reaching, runsOnFiles } from './definition.ts'

/** Runs that are going on, and those that were. */
export const runs: Definition = (world) => [
  command('lock', 'show or release the locks that keep runs from overlapping', world)
    .addCommand(
      runsOnFiles(
        reaching(command('status', 'show who holds the lock of each host', world)).option(
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
        reaching(command('release', 'release the locks of runs that have ended', world))
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
      .option('--verify', 'verify on every host that no audit log line was changed or removed')
      .option('--json', 'print the records as JSON')
      .addHelpText(
        'after',
        '\nA FILE that looks like a run ID, such as 20260102T03 or `last`, shows the latest run that matches.',
      ),
    world,
    async (options, made) => {
      if (flag(made, 'verify')) {
        const { verifyAudit } = await import('../audit.ts')
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
