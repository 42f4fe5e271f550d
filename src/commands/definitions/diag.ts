import { command, type Definition, reaching, runsOnFiles } from './definition.ts'

/** What a bug report needs. */
export const diag: Definition = (world) => [
  runsOnFiles(
    reaching(command('diag', 'collect what a bug report needs in one archive without secrets', world)).option(
      '--out <file>',
      'the archive; muster-diag-CLUSTER-TIME.tar.gz here without it',
    ),
    world,
    async (options, made) => {
      const { diag: run } = await import('../diag.ts')
      return run({ ...options, out: made.opts<{ out?: string }>().out })
    },
  ),
]
