import { completionCommand } from '../completion/command.ts'
import { command, type Definition } from './definition.ts'

/** What tells editors and shells about commands and options. */
export const reference: Definition = (world) => [
  command('schema', 'print the JSON Schema of the file, for editors', world)
    .option('--out <file>', 'file to write (default: standard output)')
    .action(async ({ out }: { readonly out?: string }) => {
      const { schema } = await import('../schema.ts')
      world.done(await schema({ context: world.context, out }))
    }),
  completionCommand(command('completion', 'generate the shell completion script', world), {
    ...world,
    name: 'muster',
  }),
]
