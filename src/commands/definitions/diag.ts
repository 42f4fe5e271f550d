import { command, type Definition, reaching, runsOnFiles } from './definition.ts'

/** What a bug report needs. */
export const diag: Definition = (world) => [
  runsOnFiles(
    reaching(command('diag', 'collect an archive for a bug report, without secrets', world)).option(
      '--out <file>',
      'archive to write (default: ./muster-diag-CLUSTER-TIME.tar.gz)',
    ),
    world,
    async (options, made) => {
      const { diag: run } = await import('../diag.ts')
      return run({ ...options, out: made.opts<{ out?: string }>().out })
    },
  ),
]
