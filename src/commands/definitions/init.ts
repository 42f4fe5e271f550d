import { command, type Definition, flag } from './definition.ts'

/** The first command that a new user meets. */
export const init: Definition = (world) => [
  command('init', 'write a commented example file and its schema for editors', world)
    .argument('[file]', 'file to write', 'muster.yaml')
    .option('--force', 'overwrite an existing file')
    .action(async (file: string, _, made) => {
      const { init: run } = await import('../init.ts')
      world.done(await run({ context: world.context, file, force: flag(made, 'force') }))
    }),
]
