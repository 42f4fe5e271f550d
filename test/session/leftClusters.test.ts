import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ClusterState, emptyState } from '../../src/deployment/state/clusterState.ts'
import { saveState } from '../../src/deployment/state/openState.ts'
import { leftClusters, reportLeftClusters } from '../../src/session/leftClusters.ts'
import { commandContext } from '../config/commandContext.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const installedOn = (...hosts: readonly string[]): ClusterState => ({
  ...emptyState,
  machines: new Map(hosts.map((name, index) => [name, `${index}`.repeat(32)])),
})

/** A folder with these files, in which the cluster alpha was installed on db1 and db2. */
async function folderWith(files: Readonly<Record<string, string>>) {
  const directory = temporaryFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  const alpha = { directory, cluster: 'alpha' }
  await saveState({ ...alpha, before: emptyState, after: installedOn('db2', 'db1') })
  const beta = { directory, cluster: 'beta' }
  return { directory, alpha, beta, left: async () => (await leftClusters(beta)).map((it) => it.hosts) }
}

const beta = 'cluster: beta\nhosts:\n  db1: {}\n'

describe('a cluster that was installed from a folder', () => {
  it.each([
    ['its file has another name of the cluster now', { 'muster.yaml': beta }],
    ['its file was removed', { 'beta.yml': beta, 'notes.txt': 'cluster: alpha\n' }],
    [
      'another file has its name only as a part of one',
      { 'muster.yaml': beta, 'x.yaml': 'cluster: alpha2\n' },
    ],
    ['a file of something else names no cluster', { 'muster.yaml': beta, 'compose.yaml': 'services: {}\n' }],
  ])('left it where %s', async (_, files) => {
    expect(await (await folderWith(files)).left()).toEqual([['db1', 'db2']])
  })

  it.each([
    ['another file names it', { 'muster.yaml': beta, 'alpha.yaml': 'cluster: alpha\n' }],
    [
      'another file names it in quotes',
      { 'muster.yaml': beta, 'a.yml': 'x-note: 1\n"cluster": \'alpha\' # old\n' },
    ],
    [
      'another file names it in braces',
      { 'muster.yaml': beta, 'a.json': '{ "cluster": "alpha", "hosts": {} }' },
    ],
    ['a file may be given its name by --set', { 'muster.yaml': 'hosts:\n  db1: {}\n' }],
    ['a file takes the name from elsewhere', { 'muster.yaml': beta, 'a.yaml': 'cluster: !env CLUSTER\n' }],
  ])('is not known to have left it where %s', async (_, files) => {
    expect(await (await folderWith(files)).left()).toEqual([])
  })

  it('is nothing that left once it was uninstalled, or where it is the one at work', async () => {
    const { alpha, left, directory } = await folderWith({ 'muster.yaml': beta })
    expect(await leftClusters(alpha)).toEqual([])
    await saveState({ ...alpha, before: installedOn('db2', 'db1'), after: emptyState })
    expect(await left()).toEqual([])
    rmSync(join(directory, '.muster'), { recursive: true })
    const { context, err } = commandContext({ cwd: directory })
    await reportLeftClusters(context, alpha)
    expect(err()).toBe('')
  })

  it('is named with the ways to end it, and a damaged state says nothing of another cluster', async () => {
    const { directory, beta: place } = await folderWith({ 'muster.yaml': beta })
    const { context, err } = commandContext({ cwd: directory })
    await reportLeftClusters(context, place)
    expect(err()).toBe(
      'note: alpha left the files of this folder. It may still run on db1 and db2, with the users and passwords of its ' +
        'last installation. To take it out: name it in a file again and run muster uninstall. If its machines are gone ' +
        `for good: remove ${join(directory, '.muster/alpha')}\n`,
    )
    writeFileSync(join(directory, '.muster/alpha/machines.json'), '{')
    const again = commandContext({ cwd: directory })
    await reportLeftClusters(again.context, place)
    expect(again.err()).toBe('')
  })
})
