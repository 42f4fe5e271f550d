import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findProgram } from '../../src/processes/findProgram.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

/** A folder `bin` with a program, which only this user can change. */
function place() {
  const cwd = temporaryFolder()
  const path = join(cwd, 'bin/hook.sh')
  mkdirSync(join(cwd, 'bin'))
  writeFileSync(path, '#!/bin/sh\n')
  chmodSync(path, 0o755)
  chmodSync(join(cwd, 'bin'), 0o755)
  const find = (name = 'bin/hook.sh', PATH = '/usr/bin:/bin') => findProgram(name, { cwd, env: { PATH } })
  const problem = (name?: string): string => {
    const found = find(name)
    return 'problem' in found ? found.problem : 'none'
  }
  return { cwd, path, find, problem }
}

describe('findProgram', () => {
  it('finds a program below its folder, by its whole path, in PATH and over links', () => {
    const { cwd, path, find } = place()
    symlinkSync('bin/../bin/hook.sh', join(cwd, 'link'))
    expect(find()).toEqual({ path })
    expect(find(path)).toEqual({ path })
    expect(find('./link')).toEqual({ path: join(cwd, 'link') })
    expect(find('true')).toHaveProperty('path')
    expect(find('hook.sh', `relative:${cwd}/bin`)).toEqual({ path })
  })

  it('says what is missing, no file, or not executable', () => {
    const { path, problem } = place()
    expect(problem('no-such-program-4711')).toBe('is in no folder of PATH')
    expect(problem('./gone')).toBe('does not exist')
    expect(problem('bin/hook.sh/below')).toBe('does not exist')
    expect(problem('./bin')).toBe('is not a file')
    chmodSync(path, 0o644)
    expect(problem()).toBe('is not executable')
  })

  it.each([0o757, 0o775])('refuses a program, or a folder on its way, with the mode %o', (mode) => {
    const { cwd, path, problem } = place()
    for (const one of [path, join(cwd, 'bin'), cwd]) {
      chmodSync(one, mode)
      expect(problem()).toBe(`is not run: other users can change ${one} (mode 0${mode.toString(8)})`)
      chmodSync(one, 0o755)
    }
    expect(problem()).toBe('none')
  })

  it('refuses the folder behind a link as it does one on the way', () => {
    const { cwd, problem } = place()
    mkdirSync(join(cwd, 'safe'))
    symlinkSync('../bin/hook.sh', join(cwd, 'safe/hook'))
    expect(problem('safe/hook')).toBe('none')
    chmodSync(join(cwd, 'bin'), 0o777)
    expect(problem('safe/hook')).toContain(`other users can change ${join(cwd, 'bin')}`)
    // Sticky: whoever may write there can remove what is theirs alone.
    chmodSync(join(cwd, 'bin'), 0o1777)
    expect(problem('safe/hook')).toBe('none')
  })

  it('ends in a circle of links', () => {
    const { cwd, problem } = place()
    symlinkSync('round', join(cwd, 'round'))
    expect(problem('./round')).toBe('has too many links on its path')
  })

  it.skipIf(process.getuid?.() !== 0)('refuses what belongs to another user (needs root)', () => {
    const { cwd, path, problem } = place()
    chownSync(path, 65534, 65534)
    expect(problem()).toBe(`is not run: ${path} belongs to user id 65534, who could replace what runs as you`)
    rmSync(path)
    // Even in a sticky folder of root's.
    chmodSync(cwd, 0o1777)
    writeFileSync(path, '')
    chmodSync(path, 0o755)
    expect(problem()).toBe('none')
    chownSync(join(cwd, 'bin'), 65534, 65534)
    expect(problem()).toContain(`${join(cwd, 'bin')} belongs to user id 65534`)
  })
})
