import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { muster } from '../src/commands/program.ts'
import { tapi } from '../src/commands/tapi/program.ts'
import { commandContext } from './config/commandContext.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (name: string): string => readFileSync(join(root, name), 'utf8')
const readme = read('README.md')

/** The contents of a page's code blocks in one language. */
const blocks = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map((match) => match[1] ?? '')

const commands = blocks(readme, 'sh').flatMap((block) => block.trim().split('\n'))
const programs = { muster, tapi }
const help = async (program: keyof typeof programs, ...words: string[]): Promise<string> => {
  const { context, out } = commandContext({})
  await programs[program]({ argv: [...words, '--help'], context })
  return out()
}

describe('README.md', () => {
  it('shows a file that validates', () => {
    const [yaml] = blocks(readme, 'yaml')
    const folder = mkdtempSync(join(tmpdir(), 'muster-docs-'))
    try {
      writeFileSync(join(folder, 'muster.yaml'), yaml ?? '')
      const program = join(root, 'dist', 'muster.js')
      const said = execFileSync(process.execPath, [program, 'validate', '--strict'], {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: process.env.PATH, ADMIN_PASS: 'x8Jw-Rt2q_Lm0' },
      })
      expect(said).toBe('The configuration of alpha is good: 3 hosts, 9 APIs.\n')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('shows parts of a file that validate on top of it', () => {
    const [whole = '', ...parts] = blocks(readme, 'yaml')
    const overlays = parts.filter((part) => part.startsWith('defaults:'))
    expect(overlays.length).toBe(2)
    const folder = mkdtempSync(join(tmpdir(), 'muster-docs-'))
    const passwords = { ADMIN_PASS: 'x8Jw-Rt2q_Lm0', MONITORING_PASS: 'pL2-vvQ8s_Za' }
    const accounts = { REPLICATION_PASSWORD: 'r7Tq_Wm3-xPa', MONITOR_PASSWORD: 'Zk4-nB9u_eHd' }
    try {
      writeFileSync(join(folder, 'muster.yaml'), whole)
      for (const overlay of overlays) {
        writeFileSync(join(folder, 'part.yaml'), overlay)
        const program = join(root, 'dist', 'muster.js')
        const said = execFileSync(process.execPath, [program, 'validate', 'muster.yaml', 'part.yaml'], {
          cwd: folder,
          encoding: 'utf8',
          env: { PATH: process.env.PATH, ...passwords, ...accounts },
        })
        expect(said).toContain('\nThe configuration of alpha is good: 3 hosts, 9 APIs.\n')
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it.each(commands.filter((line) => line.startsWith('muster ')))(
    '%s: command and options exist',
    async (line) => {
      const words = line.split(' ').slice(1)
      const [command = '', part = ''] = words
      expect(await help('muster')).toContain(`  ${command} `)
      const whole = await help('muster', command)
      const isGroup =
        whole.startsWith(`Usage: muster ${command} [options] [command]`) && !part.startsWith('-')
      if (isGroup) expect(whole).toContain(`  ${part} `)
      const text = isGroup ? await help('muster', command, part) : whole
      for (const option of words.filter((word) => word.startsWith('--'))) expect(text).toContain(`${option} `)
    },
  )

  it.each(commands.filter((line) => line.startsWith('tapi ')))(
    '%s: command and options exist',
    async (line) => {
      const text = await help('tapi')
      const words = line.split(' ').slice(1)
      for (const option of words.filter((word) => word.startsWith('--'))) expect(text).toContain(`${option} `)
      const name = words.find((word, at) => !word.startsWith('-') && !words[at - 1]?.startsWith('--'))
      expect(text).toContain(`  ${name} `)
    },
  )

  it.each(commands.flatMap((line) => line.split(' && ')).filter((line) => line.startsWith('npm run ')))(
    '%s: the script exists',
    (line) => {
      expect(Object.keys(packageJson.scripts)).toContain(line.split(' ')[2])
    },
  )

  it('names the two commands that .ci/run runs on a fresh clone', () => {
    expect(commands[0]).toBe('npm ci && npm run quickstart')
    expect(commands[1]).toBe('npm test')
    const run = read('.ci/run')
    expect(run).toContain('\nnpm ci\n')
    expect(run).toContain(' npm test\n')
  })

  it('tells the exit codes as the program does', async () => {
    const [codes] = /0 done or clean.*130 interrupted/s.exec(await help('muster')) ?? []
    expect(codes?.replaceAll(/\s+/g, ' ')).toBeDefined()
    expect(readme.replaceAll(/\s+/g, ' ')).toContain(codes?.replaceAll(/\s+/g, ' '))
  })

  it.each(['README.md', 'ARCHITECTURE.md'])('%s links to files that exist', (page) => {
    const links = [...read(page).matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1] ?? '')
    const local = links.filter((link) => !/^https?:/.test(link))
    expect(local.length).toBeGreaterThan(2)
    const headings = [...read(page).matchAll(/^#+ (.*)$/gm)].map(
      ([, title = '']) =>
        `#${title
          .toLowerCase()
          .replaceAll(/[^\w ]/g, '')
          .replaceAll(' ', '-')}`,
    )
    const leadsSomewhere = (link: string): boolean =>
      link.startsWith('#') ? headings.includes(link) : existsSync(join(root, link))
    expect(local.filter((link) => !leadsSomewhere(link))).toEqual([])
  })
})

describe('ARCHITECTURE.md', () => {
  it('has the folder table that the layers test holds', () => {
    const layers = read('test/layers.test.ts')
    const rows = [...read('ARCHITECTURE.md').matchAll(/^\| `(\w+)\/` \|.*\| ([^|]+) \|$/gm)]
    expect(rows.length).toBeGreaterThan(14)
    for (const [, folder, imports] of rows) {
      if (/^all/.test(imports ?? '')) continue
      const held = new RegExp(`^  ${folder}: \\[([^\\]]*)\\]`, 'm').exec(layers)?.[1] ?? ''
      const names = [...held.matchAll(/'(\w+)'/g)].map((match) => match[1])
      expect(names.join(', ') || 'nothing', folder).toBe(imports)
    }
  })
})

describe('docs/guide/security-model.md', () => {
  it('names tests that exist, some for each party', () => {
    const page = read('docs/guide/security-model.md')
    const rows = page
      .split('\n')
      .filter((line) => /^\| (?!party|attack|---|.*\| – \| – \|)/.test(line) && !line.startsWith('|--'))
    expect(rows.length).toBeGreaterThan(12)
    for (const row of rows) {
      const tests = [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path)
      expect(tests.length, row).toBeGreaterThan(0)
      expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([])
    }
  })
})
