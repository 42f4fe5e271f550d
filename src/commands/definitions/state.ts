import type { Command } from 'commander'
import { command, type Definition, files, flag, runsOnFiles, type World } from './definition.ts'

function transfer(
  given: { readonly operation: 'export' | 'import'; readonly option: string; readonly text: string },
  world: World,
): Command {
  const { operation, option, text } = given
  const made = files(command(operation, text, world))
    .requiredOption(`--${option} <archive>`, 'path of the archive')
    .option('--passphrase-file <file>', 'file with the passphrase')
    .option('--passphrase-stdin', 'read the passphrase from standard input')
  return runsOnFiles(made, world, async (options) => {
    const { state } = await import('../state.ts')
    const values = made.opts<Record<string, string | undefined>>()
    return state({
      ...options,
      operation,
      archive: values[option] ?? '',
      passphraseFile: values.passphraseFile,
      passphraseStdin: flag(made, 'passphraseStdin'),
    })
  })
}

/** The state directory on its way to another operator. */
export const state: Definition = (world) => [
  command('state', 'move the state directory to another operator, encrypted', world)
    .addCommand(
      transfer(
        { operation: 'export', option: 'out', text: 'export the state directory to an encrypted archive' },
        world,
      ),
    )
    .addCommand(
      transfer(
        {
          operation: 'import',
          option: 'from',
          text: 'import an archive; never overwrites a different state',
        },
        world,
      ),
    ),
]
