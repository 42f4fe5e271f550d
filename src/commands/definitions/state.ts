import type { Command } from 'commander'
import { command, type Definition, files, flag, runsOnFiles, type World } from './definition.ts'

function transfer(
  given: { readonly operation: 'export' | 'import'; readonly option: string; readonly text: string },
  world: World,
): Command {
  const { operation, option, text } = given
  const made = files(command(operation, text, world))
    .requiredOption(`--${option} <archive>`, 'the archive')
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
  command('state', 'carry the state directory to another operator, sealed by a passphrase', world)
    .addCommand(
      transfer(
        { operation: 'export', option: 'out', text: 'write the state into one encrypted archive' },
        world,
      ),
    )
    .addCommand(
      transfer(
        {
          operation: 'import',
          option: 'from',
          text: 'bring the state of an archive here; never over a different one',
        },
        world,
      ),
    ),
]
