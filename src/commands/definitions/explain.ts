import { Option } from 'commander'
import type { ExplainFormat } from '../explain.ts'
import { command, type Definition } from './definition.ts'
import { optionsHelp } from './optionsHelp.ts'

/** `muster explain`. */
export const explain: Definition = (world) => [
  command('explain', 'explain a finding or a setting, or list all of them', world)
    .argument('[name]', 'code of a finding, or name of an option or another setting')
    .addOption(
      new Option('--format <format>', 'output format').choices(['text', 'markdown', 'json']).default('text'),
    )
    .addHelpText('after', optionsHelp)
    .action(async (name: string | undefined, { format }: { format: ExplainFormat }) => {
      const { explain: run } = await import('../explain.ts')
      world.done(await run({ context: world.context, name, format }))
    }),
]
