import { baseImage } from './baseImage.ts'
import { labFolder } from './folders.ts'
import { databaseBases, enginePackages, equippedBase, releases } from './releases.ts'
import { labHere } from './requirements.ts'

/** Makes the bases of all releases and of all servers of databases once, one after another: minutes that .ci/run spends beside its other tests. */
export async function setup(): Promise<void> {
  if (labHere.missing) return
  for (const suite of Object.keys(releases)) await baseImage(labFolder(), { suite, packages: enginePackages })
  for (const wish of [...Object.values(databaseBases), equippedBase]) await baseImage(labFolder(), wish)
}
