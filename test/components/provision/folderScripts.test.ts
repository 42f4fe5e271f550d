import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  beginScript,
  endScript,
  lookScript,
  swapScript,
  undoScript,
} from '../../../src/components/provision/folderScripts.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const old = { ibdata1: 'old', 'shop/orders.ibd': 'old', "it's.frm": 'old', 'debian-10.11.flag': '' }
const fresh = { ibdata1: 'new', 'shop/orders.ibd': 'new', 'shop/lines.ibd': 'new', mariadb_backup_info: 'x' }
const logs = { 'bin.000001': 'old', 'bin.index': 'old', 'bin.state': 'old', 'bin-other.000001': 'other' }

type Files = Readonly<Record<string, string>>

function write(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, content)
  }
}

/** All files below a folder. */
const filesOf = (folder: string): Files =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(folder, name)).isFile())
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )

const sorted = (files: Files): Files => Object.fromEntries(Object.entries(files).sort())

/** A data folder and one of logs with old files, and new ones that have arrived. */
function world() {
  const [folder, elsewhere] = ["data's", 'logs'].map((name) => {
    const path = join(temporaryFolder(), name)
    mkdirSync(path)
    return path
  }) as [string, string]
  write(folder, old)
  mkdirSync(join(folder, 'lost+found'))
  write(elsewhere, logs)
  const place = { folder, logsElsewhere: [join(elsewhere, 'bin')] }
  /** Runs a script; `mv` moves one file less and fails at its call of that number. */
  const run = (script: string, failsAt?: number): string => {
    const programs = temporaryFolder()
    if (failsAt !== undefined) {
      const counter = join(programs, 'count')
      writeFileSync(counter, '')
      const shim = `#!/bin/sh
printf x >>'${counter}'
if [ "$(wc -c <'${counter}')" -eq ${failsAt} ]; then
  if [ $# -gt 4 ]; then /bin/mv "$1" "$2" "$3" "$4"; fi
  exit 1
fi
exec /bin/mv "$@"
`
      writeFileSync(join(programs, 'mv'), shim)
      chmodSync(join(programs, 'mv'), 0o755)
    }
    const env = { PATH: `${programs}:/usr/bin:/bin` }
    return execFileSync('sh', ['-c', script], { env, encoding: 'utf8', stdio: 'pipe' })
  }
  return { folder, elsewhere, place, run }
}

/** Makes such folders with the new data beside the old. */
function received() {
  const made = world()
  made.run(beginScript(made.place))
  write(join(made.folder, '.muster-new'), fresh)
  return made
}

/** Calls of `mv` in a swap: two moves aside of two folders with a rename each, and that of the new data. */
const moves = 5

describe('a data folder', () => {
  it('has the new data after a swap, the flags of packages, and no logs', () => {
    const { folder, elsewhere, place, run } = received()
    run(swapScript(place))
    run(endScript(place))
    expect(filesOf(folder)).toEqual(sorted({ ...fresh, 'debian-10.11.flag': '' }))
    expect(filesOf(elsewhere)).toEqual({ 'bin-other.000001': 'other' })
    expect(readdirSync(folder)).toContain('lost+found')
  })

  it('has the old data again after a whole swap is undone, whatever the server wrote since', () => {
    const { folder, elsewhere, place, run } = received()
    run(swapScript(place))
    write(folder, { ibdata1: 'changed', 'shop/orders.ibd': 'changed', aria_log: 'new' })
    write(elsewhere, { 'bin.000001': 'new', 'bin.000002': 'new' })
    run(undoScript(place))
    expect(filesOf(folder)).toEqual(sorted(old))
    expect(filesOf(elsewhere)).toEqual(sorted(logs))
  })

  it.each(Array.from({ length: moves }, (_, at) => at + 1))(
    'has the old data again where a swap fails at its move %s',
    (failsAt) => {
      const { folder, elsewhere, place, run } = received()
      expect(() => run(swapScript(place), failsAt)).toThrow()
      expect(run(lookScript(place))).toBe('old\n')
      run(undoScript(place))
      expect(run(lookScript(place))).toBe('')
      expect(filesOf(folder)).toEqual(sorted(old))
      expect(filesOf(elsewhere)).toEqual(sorted(logs))
    },
  )

  it.each([1, 2, 3, 4])(
    'has the old data again where undoing a swap fails at its move %s, and is repeated',
    (failsAt) => {
      const { folder, elsewhere, place, run } = received()
      run(swapScript(place))
      expect(() => run(undoScript(place), failsAt)).toThrow()
      run(undoScript(place))
      expect(filesOf(folder)).toEqual(sorted(old))
      expect(filesOf(elsewhere)).toEqual(sorted(logs))
    },
  )

  it('keeps the new data where their end was not reached, and it is repeated', () => {
    const { folder, place, run } = received()
    run(swapScript(place))
    expect(() => run(endScript(place), 1)).toThrow()
    run(endScript(place))
    expect(filesOf(folder)).toEqual(sorted({ ...fresh, 'debian-10.11.flag': '' }))
  })

  it('is as it was where nothing was swapped', () => {
    const { folder, elsewhere, place, run } = received()
    run(undoScript(place))
    expect(filesOf(folder)).toEqual(sorted(old))
    expect(filesOf(elsewhere)).toEqual(sorted(logs))
  })
})
