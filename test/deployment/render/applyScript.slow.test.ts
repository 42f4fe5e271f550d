import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sha256 } from '../../../src/base/sha256.ts'
import { applyScript } from '../../../src/deployment/render/applyScript.ts'
import { assumedFacts } from '../../../src/deployment/render/assumedFacts.ts'
import { describeBundle } from '../../../src/deployment/render/bundleDescription.ts'
import { renderHost } from '../../../src/deployment/render/renderedHost.ts'
import { hostConfig } from '../../support/deploymentValues.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { targetOf } from '../steps/target.ts'

const installDirectory = "/opt/it's $here"
const host = hostConfig({ installDirectory })
const describeHost = (of: typeof host) =>
  describeBundle(renderHost(targetOf({ host: of, facts: assumedFacts(of, 'x64') })), {
    ...{ muster: '1.2.3', now: new Date(0), machineId: undefined },
  })
const description = describeHost(host)
const script = applyScript({ ...description, architecture: process.arch === 'arm64' ? 'arm64' : 'x64' })

const exists = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
const shells = [['dash'], ['busybox', 'sh'], ['bash', '--posix']].filter(([program = '']) => exists(program))
const isRoot = process.getuid?.() === 0

const node = `root${installDirectory}/runtimes/${description.runtime.id}/node`

/** Writes a bundle whose Node.js removes its copies, as the program does, and prints its arguments. */
function bundleIn(folder: string): string {
  const place = join(folder, 'db 1')
  const contents = {
    apply: script,
    'muster-apply.cjs': '',
    [node]: `#!/bin/sh
[ "$1" != --version ] || exit 0
rm -r "\${1%/*}"
shift 2
[ "\${2:-}" != env ] || exec env
printf "%s|" "$PWD" "$@"
`,
  }
  for (const [path, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(place, path)), { recursive: true })
    writeFileSync(join(place, path), content, { mode: 0o755 })
  }
  const sums = Object.entries(contents).map(([path, content]) => `${sha256(content)}  ${path}\n`)
  writeFileSync(join(place, 'SHA256SUMS'), sums.join(''))
  return place
}

const run = (
  shell: readonly string[],
  place: string,
  words: readonly string[] = [],
  { cwd = '/', env = process.env }: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
) => {
  const [program = '', ...first] = shell
  const { status, stdout, stderr } = spawnSync(program, [...first, join(place, 'apply'), ...words], {
    cwd,
    env,
  })
  return { code: status, stdout: stdout.toString(), stderr: stderr.toString() }
}

describe('the apply script of a bundle', () => {
  it.skipIf(!exists('shellcheck'))('is clean for shellcheck (needs shellcheck)', () => {
    const found = spawnSync('shellcheck', ['--shell=sh', '-'], {
      input: applyScript(describeHost(hostConfig())),
    })
    expect(found.stdout.toString()).toBe('')
    expect(found.status).toBe(0)
  })

  describe.each(shells.map((shell) => ({ shell, name: shell.join(' ') })))('in $name', ({ shell }) => {
    it('prints its help without root and without a look at the bundle', () => {
      const place = bundleIn(temporaryFolder())
      writeFileSync(join(place, 'SHA256SUMS'), 'nonsense')
      const { code, stdout } = run(shell, place, ['--help'])
      expect(code).toBe(0)
      expect(stdout).toContain('default /etc/muster/alpha.key')
    })

    it.skipIf(!isRoot)(
      'hands each word over to its program, which starts where it was started (needs root)',
      () => {
        const folder = rootFolder()
        const place = bundleIn(folder)
        const { code, stdout, stderr } = run(shell, place, ['--identity', "a b'c"], { cwd: folder })
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
        expect(stdout).toBe(`${folder}|--identity|a b'c|`)
      },
    )

    it.skipIf(!isRoot)(
      'runs no program that the PATH of its caller names, and hands none of its variables over (needs root)',
      () => {
        const folder = rootFolder()
        const theirs = join(folder, 'sbin')
        mkdirSync(theirs)
        for (const name of ['id', 'sha256sum', 'find', 'env', 'sh']) {
          writeFileSync(join(theirs, name), `#!/bin/sh\necho ran >> ${folder}/ran\nexit 0\n`, { mode: 0o755 })
        }
        const hostile = {
          PATH: `${theirs}:${process.env.PATH}`,
          NODE_COMPILE_CACHE: folder,
          NODE_TLS_REJECT_UNAUTHORIZED: '0',
          OPENSSL_CONF: join(folder, 'openssl.cnf'),
          TMPDIR: folder,
          CDPATH: folder,
        }
        // By its path: `spawn` would look the shell up in the hostile PATH.
        const [program = '', ...first] = shell
        const found = execFileSync('sh', ['-c', `command -v ${program}`])
          .toString()
          .trim()
        const { code, stdout, stderr } = run([found, ...first], bundleIn(folder), ['--identity', 'env'], {
          env: hostile,
        })
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
        const names = stdout.split('\n').map((line) => line.split('=')[0] ?? '')
        expect(names.filter((name) => name in hostile)).toEqual(['PATH'])
        expect(stdout).not.toContain(theirs)
        expect(existsSync(join(folder, 'ran'))).toBe(false)
      },
    )

    it.skipIf(!isRoot)('prints no control character of a name that others chose (needs root)', () => {
      const place = bundleIn(rootFolder())
      const path = join(place, '\u001b]0;title\u0007')
      writeFileSync(path, '')
      chmodSync(path, 0o666)
      const { code, stderr } = run(shell, place)
      expect(code).toBe(1)
      expect(stderr).toContain(`can change the bundle: ${place}/?]0;title?.`)
    })

    it.skipIf(!isRoot)('refuses a changed or a missing file before anything runs (needs root)', () => {
      const place = bundleIn(rootFolder())
      writeFileSync(join(place, 'muster-apply.cjs'), 'changed')
      const changed = run(shell, place)
      expect(changed).toMatchObject({ code: 1, stdout: '' })
      expect(changed.stderr).toContain(
        'muster-apply.cjs\nerror: files of the bundle are missing or were changed',
      )
      execFileSync('rm', [join(place, 'muster-apply.cjs')])
      expect(run(shell, place)).toMatchObject({ code: 1, stdout: '' })
    })

    it.skipIf(!isRoot)(
      'runs no program of a bundle whose sums are not those of --sums, and runs one whose sums are (needs root)',
      () => {
        const folder = rootFolder()
        const place = bundleIn(folder)
        const vouched = sumsOf(place)
        expect(run(shell, place, ['--check', '--sums', vouched])).toMatchObject({ code: 0, stderr: '' })
        expect(run(shell, place, [`--sums=${vouched}`]).stdout).toBe(`/|--sums=${vouched}|`)
        for (const path of ['muster-apply.cjs', node]) {
          const before = readFileSync(join(place, path))
          writeFileSync(join(place, path), `#!/bin/sh\ntouch ${folder}/ran\n`)
          sumAgain(place)
          for (const words of [
            ['--sums', vouched],
            [`--sums=${vouched}`, '--uninstall'],
          ]) {
            const refused = run(shell, place, words)
            expect(refused).toMatchObject({ code: 1, stdout: '' })
            expect(refused.stderr).toContain('error: SHA256SUMS is not the one that --sums names')
          }
          writeFileSync(join(place, path), before)
        }
        expect(existsSync(join(folder, 'ran'))).toBe(false)
      },
    )

    it.skipIf(!isRoot)('runs no program for a misspelt --sums, or one without a digest (needs root)', () => {
      const place = bundleIn(rootFolder())
      const digest = sumsOf(place)
      const refused = [
        [['--sum', digest], '--sum is not an option of apply.'],
        [['--sums'], '--sums has no value.'],
        [['--sums', ''], '--sums takes a SHA-256 of 64 digits.'],
        [['--sums', digest.slice(1)], '--sums takes a SHA-256 of 64 digits.'],
        [['--sums', `${digest.slice(1)}g`], '--sums takes a SHA-256 of 64 digits.'],
        [['--identity', '--sums', digest], `${digest} is not an option of apply.`],
      ] as const
      for (const [words, said] of refused) {
        const { code, stdout, stderr } = run(shell, place, words)
        expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
        expect(stderr).toContain(`error: ${said}`)
      }
    })

    it.skipIf(!isRoot)('refuses a link and a pipe among the files of a bundle (needs root)', () => {
      const folder = rootFolder()
      const place = bundleIn(folder)
      const program = join(place, 'muster-apply.cjs')
      renameSync(program, join(folder, 'elsewhere'))
      symlinkSync(join(folder, 'elsewhere'), program)
      const linked = run(shell, place)
      expect(linked).toMatchObject({ code: 1, stdout: '' })
      expect(linked.stderr).toContain(
        `a link or another special file, which muster never writes: ${program}.`,
      )
      execFileSync('sh', [
        '-c',
        'rm "$1"; mv "$2" "$1"; mkfifo -m 600 "$3"',
        'sh',
        program,
        join(folder, 'elsewhere'),
        join(place, 'pipe'),
      ])
      expect(run(shell, place).stderr).toContain(`muster never writes: ${join(place, 'pipe')}.`)
    })

    it.skipIf(!isRoot)(
      'runs what it compared, also if a file is written to meanwhile, and leaves no copy (needs root)',
      () => {
        const folder = rootFolder()
        const place = bundleIn(folder)
        const before = readdirSync(place).sort()
        // Of somebody who opened it before it was root's.
        const file = openSync(join(place, node), 'r+')
        onTestFinished(() => closeSync(file))
        const text = readFileSync(join(place, 'apply'), 'utf8')
        const exchange = `printf '#!/bin/sh\\ntouch ${folder}/ran\\n' | dd of=/proc/${process.pid}/fd/${file} conv=notrunc status=none\n`
        const changing = (at: string): void => {
          writeFileSync(join(place, 'apply'), text.replace(at, `${exchange}${at}`))
          sumAgain(place)
        }
        const good = readFileSync(join(place, node))
        changing('copies=\n')
        expect(run(shell, place)).toMatchObject({
          code: 1,
          stdout: '',
          stderr: expect.stringContaining('is not in SHA256SUMS, or is being changed'),
        })
        expect(readdirSync(place).sort()).toEqual(before)
        writeFileSync(join(place, node), good)
        changing('cd "$from"')
        expect(run(shell, place)).toMatchObject({ code: 0, stdout: '/|', stderr: '' })
        expect(existsSync(join(folder, 'ran'))).toBe(false)
        expect(readdirSync(place).sort()).toEqual(before)
      },
    )

    it.skipIf(!isRoot)('refuses a bundle that others can change, through a link too (needs root)', () => {
      const folder = rootFolder()
      const place = bundleIn(folder)
      chmodSync(join(place, 'SHA256SUMS'), 0o664)
      expect(run(shell, place).stderr).toContain(`can change the bundle: ${join(place, 'SHA256SUMS')}.`)
      chmodSync(join(place, 'SHA256SUMS'), 0o644)
      chmodSync(folder, 0o777)
      expect(run(shell, place).stderr).toContain(`can change the bundle: ${folder}.`)
      chmodSync(folder, 0o755)
      execFileSync('chown', ['65534', join(place, 'root')])
      expect(run(shell, place).stderr).toContain(`can change the bundle: ${join(place, 'root')}.`)
    })

    it.skipIf(!isRoot)('refuses another user and another processor (needs root)', () => {
      const place = bundleIn(rootFolder())
      const text = readFileSync(join(place, 'apply'), 'utf8')
      writeFileSync(join(place, 'apply'), text.replace(/"\$machine" = \w+/, '"$machine" = riscv64'))
      expect(run(shell, place).stderr).toMatch(/^error: the bundle is for \w+, but this machine is /)
      const other = spawnSync('setpriv', ['--reuid=65534', '--clear-groups', ...shell, '-s'], {
        input: script,
      })
      expect(other).toMatchObject({ status: 1 })
      expect(other.stderr.toString()).toContain('only root can apply a bundle.')
    })
  })
})

/** Returns the SHA-256 of the sums of a bundle. */
const sumsOf = (place: string): string => sha256(readFileSync(join(place, 'SHA256SUMS')))

/** Makes the sums of a bundle again after its files were exchanged. */
function sumAgain(place: string): void {
  const paths = ['apply', 'muster-apply.cjs', node]
  const sums = paths.map((path) => `${sha256(readFileSync(join(place, path)))}  ${path}\n`)
  writeFileSync(join(place, 'SHA256SUMS'), sums.join(''))
}

/** A folder below folders of root alone, unlike /tmp. */
function rootFolder(): string {
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  return folder
}
