import { sha256 } from '../../base/sha256.ts'
import type { Define } from '../../cli/command.ts'
import { exitCodes } from '../../cli/exitCodes.ts'
import { UsageError } from '../../cli/usageError.ts'
import { metaData, userData } from '../../deployment/render/cloudInit.ts'
import { folderOf } from '../../deployment/state/stateFiles.ts'
import { keysFolder } from '../../session/render/hostKeys.ts'
import { renderBundles } from '../../session/render/renderBundles.ts'
import { archiveName, packedBundle } from './bundle.ts'
import { recipientsGiven, recipientsOption, renderDefinition } from './renderOptions.ts'

export const renderCloudInitCommand: Define = (made, world) =>
  renderDefinition(
    recipientsOption(made).option(
      '--bundle-url <url>',
      'folder on a web server from which hosts fetch their archive; without it, it belongs into the seed',
    ),
    world,
    async (options) => {
      const { context, out } = options
      const { bundleUrl: url } = made.opts<{ bundleUrl?: string }>()
      requireWebAddress(url)
      const names = ({ host }: { readonly host: string }) =>
        ['user-data', 'meta-data', archiveName(host)].map((name) => `${folderOf(host)}/${name}`)
      const recipients = recipientsGiven(made)
      const written = await renderBundles(
        { ...options, recipients },
        {
          names,
          isName: (name) => name.includes('/'),
          pack: (bundle, now) => {
            const { cluster, host, sums } = bundle
            const archive = packedBundle(bundle, now)
            const of = { cluster, host, archive: archiveName(host), folder: folderOf(host), sums, url }
            const described = { ...of, sha256: sha256(archive), size: archive.length }
            const contents = [userData(described), metaData(described), archive]
            return names(bundle).flatMap((path, at) => {
              const content = contents[at]
              return content === undefined ? [] : [{ path, content }]
            })
          },
        },
      )
      for (const { path } of written) context.stdout.write(`wrote ${path}\n`)
      context.stdout.write(
        recipients === undefined
          ? `The keys are in ${out}/${keysFolder}: bring each to its host another way than the user-data.\n`
          : 'Each host needs its key before its first boot.\n',
      )
      return exitCodes.ok
    },
  )

/**
 * The checksum in the user-data proves what was fetched; the secrets are sealed. User-data and the arguments of a
 * process can be read by others, so an address with a password is refused.
 */
function requireWebAddress(url: string | undefined): void {
  if (url === undefined) return
  const fix = 'Use one such as https://images.example.com/alpha.'
  if (!/^https?:\/\/[^'"]+$/.test(url) || /[^!-~]/.test(url) || !URL.canParse(url)) {
    throw new UsageError(`--bundle-url ${url} is no web address.`, fix)
  }
  const { username, password } = new URL(url)
  if (username !== '' || password !== '') {
    throw new UsageError(
      '--bundle-url has a user or a password, which every process of the host could read.',
      fix,
    )
  }
  if (/[?#]/.test(url)) {
    throw new UsageError('--bundle-url has a query or a fragment, but names a folder.', fix)
  }
}
