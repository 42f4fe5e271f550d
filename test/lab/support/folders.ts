import { mkdirSync, realpathSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

/** Where bases, downloads and runs of the lab lie: `MUSTER_LAB_CACHE`, else a folder of this user below the temporary one. */
export function labFolder(): string {
  const folder = process.env.MUSTER_LAB_CACHE ?? join(tmpdir(), `muster-lab-${userInfo().uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return realpathSync(folder)
}

/** The folder below the lab's own that holds one folder per running lab. */
export const runsFolder = (lab: string): string => join(lab, 'runs')
