import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isTracked } from '../../../src/commands/validate/trackedSecrets.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const env = { PATH: process.env.PATH, HOME: '/nonexistent' }
const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.org']

const git = (folder: string, ...words: readonly string[]): string =>
  execFileSync('git', ['-C', folder, ...words], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })

const tracked = (path: string, given: Partial<Parameters<typeof isTracked>[1]> = {}): Promise<boolean> =>
  isTracked(path, { env, signal: new AbortController().signal, ...given })

/** A repository with one tracked file and one that is not. */
function repository(): string {
  const folder = realpathSync(temporaryFolder())
  git(folder, 'init', '-q')
  writeFileSync(join(folder, 'tracked.yaml'), 'a')
  writeFileSync(join(folder, 'other.yaml'), 'a')
  git(folder, 'add', 'tracked.yaml')
  return folder
}

const commit = (folder: string): string => git(folder, ...author, 'commit', '-q', '-m', 'a')

describe('isTracked', () => {
  it('reads the index, before the first commit and in subfolders', async () => {
    const folder = repository()
    mkdirSync(join(folder, 'deep'))
    writeFileSync(join(folder, 'deep', 'a.yaml'), 'a')
    git(folder, 'add', 'deep')
    expect(await tracked(join(folder, 'tracked.yaml'))).toBe(true)
    expect(await tracked(join(folder, 'deep', 'a.yaml'))).toBe(true)
    expect(await tracked(join(folder, 'other.yaml'))).toBe(false)
    git(folder, 'rm', '-q', '--cached', 'tracked.yaml')
    expect(await tracked(join(folder, 'tracked.yaml'))).toBe(false)
  })

  it('takes the name literally, not as a pattern', async () => {
    const folder = repository()
    for (const name of ['*.yaml', ':(glob)x', '-z']) {
      writeFileSync(join(folder, name), 'a')
      expect(await tracked(join(folder, name))).toBe(false)
      git(folder, '--literal-pathspecs', 'add', '--', name)
      expect(await tracked(join(folder, name))).toBe(true)
    }
  })

  it('follows a link to its target', async () => {
    const folder = repository()
    const outside = temporaryFolder()
    symlinkSync('tracked.yaml', join(folder, 'inside.yaml'))
    symlinkSync(join(folder, 'tracked.yaml'), join(outside, 'link.yaml'))
    writeFileSync(join(outside, 'secret.yaml'), 'a')
    symlinkSync(join(outside, 'secret.yaml'), join(folder, 'out.yaml'))
    git(folder, 'add', 'out.yaml')
    expect(await tracked(join(folder, 'inside.yaml'))).toBe(true)
    expect(await tracked(join(outside, 'link.yaml'))).toBe(true)
    // The repository has the link, not the secret.
    expect(await tracked(join(folder, 'out.yaml'))).toBe(false)
    symlinkSync(folder, join(outside, 'way'))
    expect(await tracked(join(outside, 'way', 'tracked.yaml'))).toBe(true)
  })

  it('works in another worktree and in a submodule', async () => {
    const folder = repository()
    commit(folder)
    const beside = join(temporaryFolder(), 'beside')
    git(folder, 'worktree', 'add', '-q', beside)
    expect(await tracked(join(beside, 'tracked.yaml'))).toBe(true)
    const outer = repository()
    git(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', folder, 'sub')
    expect(await tracked(join(outer, 'sub', 'tracked.yaml'))).toBe(true)
    writeFileSync(join(outer, 'sub', 'new.yaml'), 'a')
    expect(await tracked(join(outer, 'sub', 'new.yaml'))).toBe(false)
  })

  it('ignores variables that point to another repository', async () => {
    const folder = repository()
    const there = { ...env, GIT_DIR: join(repository(), '.git'), GIT_WORK_TREE: '/', GIT_INDEX_FILE: '/x' }
    expect(await tracked(join(folder, 'tracked.yaml'), { env: there })).toBe(true)
    expect(await tracked(join(folder, 'other.yaml'), { env: there })).toBe(false)
  })

  it('returns false without a repository, without the file, without git and after a timeout', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'a.yaml'), 'a')
    expect(await tracked(join(folder, 'a.yaml'))).toBe(false)
    expect(await tracked(join(folder, 'none.yaml'))).toBe(false)
    const known = join(repository(), 'tracked.yaml')
    expect(await tracked(known, { env: { PATH: folder } })).toBe(false)
    writeFileSync(join(folder, 'git'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 })
    const slow = { PATH: `${folder}:${process.env.PATH}` }
    expect(await tracked(known, { env: slow, timeout: 200 })).toBe(false)
  })
})

describe('isTracked in an untrusted repository', () => {
  it('does not run its file system monitor', async () => {
    const folder = repository()
    const trap = join(folder, 'trap')
    writeFileSync(trap, `#!/bin/sh\ntouch ${join(folder, 'sprung')}\n`, { mode: 0o755 })
    git(folder, 'config', 'core.fsmonitor', trap)
    git(folder, 'update-index', '--fsmonitor')
    const sprung = (): boolean => existsSync(join(folder, 'sprung'))
    rmSync(join(folder, 'sprung'), { force: true })
    git(folder, 'ls-files', '--error-unmatch', '--', 'tracked.yaml')
    expect(sprung(), 'the trap works').toBe(true)
    rmSync(join(folder, 'sprung'))
    expect(await tracked(join(folder, 'tracked.yaml'))).toBe(true)
    expect(sprung()).toBe(false)
  })

  it('ignores a bare repository among the files of another', async () => {
    const folder = repository()
    const bare = join(folder, 'bare')
    git(folder, 'init', '-q', '--bare', 'bare')
    writeFileSync(join(bare, 'a.yaml'), 'a')
    git(bare, 'config', 'core.bare', 'false')
    git(bare, 'config', 'core.worktree', bare)
    git(bare, `--git-dir=${bare}`, `--work-tree=${bare}`, 'add', 'a.yaml')
    expect(git(bare, 'ls-files', 'a.yaml'), 'git would take it').toBe('a.yaml\n')
    expect(await tracked(join(bare, 'a.yaml'))).toBe(false)
  })
})
