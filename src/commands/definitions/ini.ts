import type { Command } from 'commander'
import { command, type Definition, files, flag, runsOnFiles, type World } from './definition.ts'

type Values = { readonly out?: string; readonly cluster?: string; readonly host?: string }

const destination = (made: Command): Command =>
  made
    .option('--out <file>', 'write it there, for you alone to read; else to standard output')
    .option('--force', 'overwrite a file that exists')

const chosen = (made: Command) => ({ out: made.opts<Values>().out, force: flag(made, 'force') })

const importing = (world: World): Command => {
  const made = command('import', 'turn an INI file of the product family into a YAML file', world)
    .argument('<file>', 'the INI file; - is standard input')
    .option('--cluster <name>', 'name of the cluster; else that of the first service')
  return destination(made).action(async (file: string) => {
    const { importIni } = await import('../importIni.ts')
    const { cluster } = made.opts<Values>()
    world.done(await importIni({ context: world.context, file, cluster, ...chosen(made) }))
  })
}

const exporting = (world: World): Command => {
  const made = files(command('export', 'write the configuration as an INI file of the product family', world))
    .option('--ini', 'as an INI file, the only format so far')
    .option('--host <name>', 'for this host alone, its own options among the common ones')
  return runsOnFiles(destination(made), world, async (options) => {
    const { exportIni } = await import('../exportIni.ts')
    const { host } = made.opts<Values>()
    return exportIni({ ...options, ini: flag(made, 'ini'), host, ...chosen(made) })
  })
}

/** From the INI files of the product family and back. */
export const ini: Definition = (world) => [importing(world), exporting(world)]
