import { createTarGz, foldersOf } from '../../base/tar.ts'
import type { Define } from '../../cli/command.ts'
import { exitCodes } from '../../cli/exitCodes.ts'
import { folderOf } from '../../deployment/state/stateFiles.ts'
import { keysFolder } from '../../session/render/hostKeys.ts'
import { type RenderedBundle, renderBundles } from '../../session/render/renderBundles.ts'
import { recipientsGiven, recipientsOption, renderDefinition } from './renderOptions.ts'

export const renderBundleCommand: Define = (made, world) =>
  renderDefinition(recipientsOption(made), world, async (options) => {
    const { context, out } = options
    const recipients = recipientsGiven(made)
    const written = await renderBundles(
      { ...options, recipients },
      {
        names: ({ host }) => [archiveName(host)],
        isName: (name) => /^[^/]+\.tar\.gz$/.test(name),
        pack: (bundle, now) => [{ path: archiveName(bundle.host), content: packedBundle(bundle, now) }],
      },
    )
    for (const { path, sums } of written) context.stdout.write(`wrote ${path}\n  apply --sums ${sums}\n`)
    context.stdout.write(
      `${recipients === undefined ? 'The keys and the' : 'The'} checksums of the archives and of the sums in them are in ${out}/${keysFolder}: hand them over separately.\n`,
    )
    return exitCodes.ok
  })

/** Name of the archive of one host. */
export const archiveName = (host: string): string => `${folderOf(host)}.tar.gz`

/** Returns the archive of one host: a folder of its name with the files of its bundle. */
export function packedBundle({ host, files }: RenderedBundle, now: Date): Buffer {
  const top = folderOf(host)
  const entries = files.map((file) => ({ ...file, path: `${top}/${file.path}` }))
  const folders = foldersOf(entries).map((folder) =>
    folder.path === `${top}/` ? { ...folder, mode: 0o700 } : folder,
  )
  return createTarGz([...folders, ...entries], now)
}
