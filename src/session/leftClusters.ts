import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readBoundedFile } from '../base/boundedFile.ts'
import { listOf } from '../base/words.ts'
import type { CommandContext } from '../cli/context.ts'
import { installedNames } from '../deployment/state/clusterState.ts'
import { knownState } from '../deployment/state/openState.ts'
import { hostOf } from '../deployment/state/stateFiles.ts'
import { musterFolder, type StatePlace, stateFolder } from '../deployment/state/statePlace.ts'

const largestFile = 1024 * 1024
const mostFiles = 100

/** The value of `cluster` at the top level, as it is written. */
const clusterLine = /^(?:\{\s*)?["']?cluster["']?\s*:\s*(.*)$/m
const plainName = /^(["']?)([\w.-]+)\1\s*(?:[,}#].*)?$/

/**
 * Returns the names of clusters that the YAML files of a folder give; undefined where that cannot be said: a name comes
 * from elsewhere, such as `--set`, or a file cannot be read.
 */
async function namedClusters(folder: string): Promise<ReadonlySet<string> | undefined> {
  const files = (await readdir(folder)).filter((name) => /\.(?:ya?ml|json)$/.test(name))
  if (files.length > mostFiles) return undefined
  const names = new Set<string>()
  for (const file of files) {
    const { content } = await readBoundedFile(join(folder, file), { maxBytes: largestFile })
    const text = content.toString('utf8')
    const written = clusterLine.exec(text)?.[1]
    if (written === undefined && !/^["']?hosts["']?\s*:/m.test(text)) continue
    const name = plainName.exec(written?.trim() ?? '')?.[2]
    if (name === undefined) return undefined
    names.add(name)
  }
  return names
}

/** A cluster that no file beside its state names any more, and the hosts on which it was installed. */
type LeftCluster = { readonly place: StatePlace; readonly hosts: readonly string[] }

/**
 * Returns the clusters beside this one that are installed and that no YAML file of the folder names, sorted. The state of
 * a cluster lies beside its file, so that file was changed or removed.
 */
export async function leftClusters({ directory, cluster }: StatePlace): Promise<readonly LeftCluster[]> {
  const folders = await readdir(musterFolder({ directory, cluster }))
  const others = folders.flatMap((folder) => hostOf(folder) ?? []).filter((name) => name !== cluster)
  const named = others.length === 0 ? undefined : await namedClusters(directory)
  if (named === undefined) return []
  const found: LeftCluster[] = []
  for (const name of others.filter((it) => !named.has(it)).sort()) {
    const place = { directory, cluster: name }
    const hosts = installedNames(await knownState(place))
    if (hosts.length > 0) found.push({ place, hosts })
  }
  return found
}

/** Prints a note for each cluster that left the files of the folder, with the ways to end it. */
export async function reportLeftClusters(context: CommandContext, place: StatePlace): Promise<void> {
  // Of what cannot be read nothing is said: it is another cluster's.
  for (const left of await leftClusters(place).catch(() => [])) {
    const { cluster } = left.place
    context.stderr.write(
      `note: ${cluster} left the files of this folder. It may still run on ${listOf(left.hosts)}, with the users and ` +
        `passwords of its last installation. To take it out: name it in a file again and run muster uninstall. ` +
        `If its machines are gone for good: remove ${stateFolder(left.place)}\n`,
    )
  }
}
