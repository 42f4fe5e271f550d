import type { Define } from '../../cli/command.ts'
import { exitCodes } from '../../cli/exitCodes.ts'
import { debName, debPackage } from '../../deployment/render/debPackage.ts'
import { keysFolder } from '../../session/render/hostKeys.ts'
import { renderBundles } from '../../session/render/renderBundles.ts'
import { recipientsGiven, recipientsOption, renderDefinition } from './renderOptions.ts'

export const renderDebCommand: Define = (made, world) =>
  renderDefinition(recipientsOption(made), world, async (options) => {
    const { context, out, architecture } = options
    const recipients = recipientsGiven(made)
    const written = await renderBundles(
      { ...options, recipients },
      {
        names: ({ cluster, host }) => [`${debName({ cluster, host })}.deb`],
        isName: (name, cluster) => name.startsWith(debName({ cluster, host: '' })) && name.endsWith('.deb'),
        pack: (bundle, now) => [
          {
            path: `${debName(bundle)}.deb`,
            content: debPackage({ ...bundle, architecture, muster: context.version }, now),
          },
        ],
      },
    )
    for (const { path } of written) context.stdout.write(`wrote ${path}\n`)
    context.stdout.write(
      `${recipients === undefined ? 'The keys and the' : 'The'} checksums of the packages are in ${out}/${keysFolder}: hand them over separately.\n`,
    )
    return exitCodes.ok
  })
