import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describeCluster } from '../../../src/config/describe/describe.ts'
import type { DescribedValue, Description } from '../../../src/config/describe/description.ts'
import type { LoadOptions } from '../../../src/config/load.ts'
import { loadText } from '../loadText.ts'

/** Folder of the files that these tests describe. */
export const folder = fileURLToPath(new URL('../../fixtures/describe', import.meta.url))

/** The description of one text. */
export function described(text: string, options: Partial<LoadOptions> = {}): Description {
  const { cluster } = loadText(text, options)
  if (cluster === undefined) throw new Error('the text of this test cannot be described')
  return describeCluster(cluster)
}

/** The description of a file of the folder; origins name it as `name`. */
export const describedFile = (file: string, name = file): Description =>
  described('', {
    files: [{ name, directory: '/etc/muster', text: readFileSync(`${folder}/${file}`, 'utf8') }],
  })

/** Options whose defaults stand for all in `shortened`. */
const examples: readonly string[] = ['manager-rest-api-port', 'log-level', 'install-directory']

/**
 * A description with what the file gives, and a few of the defaults: a new option is nothing that a text of all others
 * has to show again.
 */
export const shortened = (description: Description): Description => ({
  ...description,
  hosts: description.hosts.map((host) => ({
    ...host,
    options: host.options.filter(({ name, origin }) => origin.layer !== 'default' || examples.includes(name)),
  })),
})

/** One value of a host. */
export function settingOf(
  description: Description,
  where: { readonly host: string; readonly group: 'host' | 'ssh' | 'options'; readonly name: string },
): DescribedValue | undefined {
  const host = description.hosts.find(({ name }) => name === where.host)
  return host?.[where.group].find(({ name }) => name === where.name)
}
