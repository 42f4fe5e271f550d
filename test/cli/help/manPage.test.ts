import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { manPages } from '../../../src/cli/help/manPage.ts'
import { installed } from '../../lab/support/requirements.ts'
import { root } from '../../support/pages.ts'
import { allCommands, loadedPrograms } from './programs.ts'

const programs = await loadedPrograms()
const pages = (await Promise.all(programs.map((program) => manPages(program, '1.2.3')))).flat()
const hasMan = installed('man') && installed('groff')

describe('the manual pages', () => {
  it('describe every command of both programs, those of a group on the page of the group', () => {
    expect(pages.length).toBeGreaterThan(50)
    for (const command of programs.flatMap(allCommands)) {
      const { path, description } = command.helpPage()
      const [, text = ''] =
        pages.find(([file]) => file === `${path.split(' ').slice(0, 2).join('-')}.1`) ?? []
      expect(text).toContain(`\\fB${path.replaceAll('-', '\\-')}\\fR`)
      const own = description.slice(1, 20).replaceAll('-', '\\-').replaceAll("'", '\\(aq')
      expect(text, path).toContain(own)
    }
  })

  it('are built, and installed with the package', async () => {
    const files = pages.map(([file]) => file)
    expect(readdirSync(join(root, 'dist', 'man')).toSorted()).toEqual(files.toSorted())
    // Red after a new command: `--update` writes it into package.json.
    const man = files.map((file) => `./dist/man/${file}`).toSorted()
    const wanted = `${JSON.stringify({ ...packageJson, man }, null, 2)}\n`
    await expect(wanted).toMatchFileSnapshot(join(root, 'package.json'))
  })
})

describe.skipIf(!hasMan)('a manual page (needs man and groff)', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-man-'))
    for (const [file, text] of pages) writeFileSync(join(folder, file), text)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const render = (file: string, width: number): { readonly stdout: string; readonly stderr: string } => {
    const env = { ...process.env, LC_ALL: 'C.UTF-8', MANWIDTH: String(width) }
    const { stdout, stderr } = spawnSync('man', ['-l', '--warnings=w', '-E', 'UTF-8', file], {
      cwd: folder,
      env,
      encoding: 'utf8',
    })
    return { stdout, stderr }
  }

  /** Sets pages as man does; all in one process, for man starts seven for each. */
  const set = (files: readonly string[]): { readonly stdout: string; readonly stderr: string } => {
    const options = ['-t', '-man', '-Tutf8', '-Kutf8', '-ww', '-rLL=80n', '-rLT=80n', '-P-cbou']
    return spawnSync('groff', [...options, ...files], { cwd: folder, encoding: 'utf8' })
  }

  it('renders without a warning, in 80 columns', () => {
    const { stdout, stderr } = set(pages.map(([file]) => file))
    expect(stderr).toBe('')
    const lines = stdout.split('\n')
    for (const heading of ['NAME', 'EXAMPLES'])
      expect(lines.filter((line) => line === heading)).toHaveLength(pages.length)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  })

  it('renders with man itself', () => {
    const { stdout, stderr } = render('muster-install.1', 80)
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^EXAMPLES$/m)
  })

  it('shows hyphens and quotes that a shell takes', () => {
    const { stdout } = render('muster-exec.1', 80)
    expect(stdout).toContain("muster exec --host 'db*' -- df -h /var/lib")
  })

  it('would be refused with a mistake in it', () => {
    writeFileSync(join(folder, 'wrong.1'), '.TH X 1\n.SH NAME\n.nosuchrequest\n')
    expect(render('wrong.1', 80).stderr).toContain('nosuchrequest')
    expect(set(['muster.1', 'wrong.1']).stderr).toContain('nosuchrequest')
  })
})
