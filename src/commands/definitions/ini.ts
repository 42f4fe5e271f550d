import type { Command } from 'commander'
import { command, type Definition, files, flag, runsOnFiles, type World } from './definition.ts'

type Values = { readonly out?: string; readonly cluster?: string; readonly host?: string }

const destination = (made: Command): Command =>
  made
    .option('--out <file>', 'file to write, readable only by you (default: standard output)')
    .option('--force', 'overwrite an existing file')

const chosen = (made: Command) => ({ out: made.opts<Values>().out, force: flag(made, 'force') })

const importing = (world: World): Command => {
  const made = command('import', 'convert an INI file of the product family to YAML', world)
    .argument('<file>', 'the INI file; - is standard input')
    .option('--cluster <name>', 'name of the cluster (default: that of the first service)')
  return destination(made).action(async (file: string) => {
    const { importIni } = await import('../importIni.ts')
    const { cluster } = made.opts<Values>()
    world.done(await importIni({ context: world.context, file, cluster, ...chosen(made) }))
  })
}

const exporting = (world: World): Command => {
  const made = files(
    command('export', 'convert the configuration to an INI file of the product family', world),
  )
    .option('--ini', 'export as INI, the only format so far')
    .option('--host <name>', 'export for this host, including its own options')
  return runsOnFiles(destination(made), world, async (options) => {
    const { exportIni } = await import('../exportIni.ts')
    const { host } = made.opts<Values>()
    return exportIni({ ...options, ini: flag(made, 'ini'), host, ...chosen(made) })
  })
}

/** From the INI files of the product family and back. */
export const ini: Definition = (world) => [importing(world), exporting(world)]
