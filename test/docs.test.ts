import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { muster } from '../src/commands/muster.ts'
import { serviceData } from '../src/deployment/services/implementations.ts'
import { unitName } from '../src/deployment/services/systemdUnits.ts'
import { tapi } from '../src/tapi/tapi.ts'
import { commandContext } from './config/commandContext.ts'
import { type Block, blocksOf, commandsOf, decisions, pages, readPage, root } from './support/pages.ts'

const blocks = pages.flatMap(blocksOf)
const commands = pages.flatMap((page) =>
  commandsOf(page)
    .flatMap((line) => (/^(muster|tapi) /.test(line) ? [line] : line.split(' && ')))
    .map((line) => [page, line] as const),
)
const commandsOfProgram = (name: string) => commands.filter(([, line]) => line.startsWith(`${name} `))
const programs = { muster, tapi }

const help = async (program: keyof typeof programs, ...words: string[]): Promise<string> => {
  const { context, out } = commandContext({})
  await programs[program]({ argv: [...words, '--help'], context })
  return out()
}

/** Commands of other programs, and what runs them. */
const runElsewhere: Readonly<Record<string, string>> = {
  'npm ci': '.ci/run',
  'npm test': '.ci/run',
  'mv muster-linux-x64 muster': 'test/lab/package.test.ts',
  'chmod +x muster': 'test/lab/package.test.ts',
  './muster init --host localhost': 'test/lab/package.test.ts',
  './muster install': 'test/lab/package.test.ts',
  'ln -s muster tapi': 'test/lab/package.test.ts',
  'npm run package': 'test/ci/package.test.ts',
  'apt-get install ./muster_0.1.0_amd64.deb': 'test/lab/package.test.ts',
  'sha256sum --check --ignore-missing SHA256SUMS': 'test/ci/package.test.ts',
  'npm pack': 'test/ci/support/release.ts',
  'sha256sum muster-cluster-*.tgz': 'test/ci/support/release.ts',
  'npm install --global --offline ./muster-cluster-*.tgz': 'test/ci/support/repository.ts',
  'curl --user admin --cacert .muster/alpha/authority.crt https://db1:8090/api/v2/user/admin':
    'test/scenarios/readme.test.ts',
  'tar -xzf db1.tar.gz': 'test/lab/scenario/engines.ts',
  "sums=$(sed -n 's|  db1/SHA256SUMS$||p' SHA256SUMS)": 'test/lab/scenario/engines.ts',
  './db1/apply --check --sums "$sums" --identity db1.key': 'test/lab/scenario/engines.ts',
  './db1/apply --sums "$sums" --identity db1.key': 'test/lab/scenario/engines.ts',
  'cd project': 'test/lab/scenario/engines.ts',
  'ansible-playbook -i inventory.yaml --ask-vault-pass --check --diff site.yaml':
    'test/lab/renderAnsible.test.ts',
  'ansible-playbook -i inventory.yaml --ask-vault-pass site.yaml': 'test/lab/scenario/engines.ts',
  'ansible-playbook -i inventory.yaml --ask-vault-pass uninstall.yaml': 'test/lab/scenario/engines.ts',
  'systemctl --user enable muster.service': 'test/scenarios/reboot.test.ts',
  'loginctl enable-linger': 'test/scenarios/reboot.test.ts',
}

/** Languages whose blocks this file runs or reads, on any page. */
const languages = ['sh', 'yaml', 'json']

/** Languages of a single block, with its page; a scenario runs it, `text` is what test/output/pictureText.test.ts makes. */
const ofScenarios: Readonly<Record<string, string>> = {
  bash: 'docs/guide/hooks.md',
  console: 'README.md',
  crontab: 'docs/guide/processes.md',
  ini: 'docs/guide/processes.md',
  shell: 'docs/guide/hooks.md',
  text: 'docs/guide/operate.md',
}

/** First lines of the recipes that test/ci runs. */
const recipes = ['# .github/workflows/', '# .gitlab-ci.yml', '# .pre-commit-config.yaml']

describe('the documentation', () => {
  it('has no code block that no test reads', () => {
    expect(blocks.length).toBeGreaterThan(40)
    const others = blocks.filter(({ language }) => !languages.includes(language))
    const places = Object.fromEntries(others.map(({ language, page }) => [language, page]))
    expect(places).toEqual(ofScenarios)
    expect(others).toHaveLength(Object.keys(ofScenarios).length)
  })

  it('has no command that no test knows', () => {
    const isKnown = ([, line]: readonly [page: string, line: string]): boolean =>
      /^(muster|tapi|npm run) /.test(line) || runElsewhere[line] !== undefined
    expect(commands.filter((command) => !isKnown(command))).toEqual([])
    expect(Object.values(runElsewhere).filter((path) => !existsSync(join(root, path)))).toEqual([])
    const shown = new Set(commands.map(([, line]) => line))
    expect(Object.keys(runElsewhere).filter((line) => !shown.has(line))).toEqual([])
  })

  it.each(commandsOfProgram('muster'))('%s has only existing options in: %s', async (_page, line) => {
    const words = line.split(' -- ')[0]?.split(' ').slice(1) ?? []
    const [command = '', part = ''] = words
    expect(await help('muster')).toContain(`  ${command} `)
    const whole = await help('muster', command)
    const isGroup =
      whole.startsWith(`Usage: muster ${command} [options] [command]`) &&
      !part.startsWith('-') &&
      !part.endsWith('.yaml')
    if (isGroup) expect(whole).toContain(`  ${part} `)
    const text = isGroup ? await help('muster', command, part) : whole
    for (const option of words.filter((word) => word.startsWith('--')))
      expect(text).toMatch(new RegExp(`${option}[ ,]`))
  })

  it.each(commandsOfProgram('tapi'))('%s has only existing options in: %s', async (_page, line) => {
    const text = await help('tapi')
    const words = line.split(' ').slice(1)
    const [name = '', part = ''] = words.filter(
      (word, at) => !word.startsWith('-') && (!words[at - 1]?.startsWith('--') || words[at - 1] === '--all'),
    )
    expect(text).toContain(`  ${name} `)
    const own = await help('tapi', name)
    for (const option of words.filter((word) => word.startsWith('--')))
      expect(`${text}${own}`).toMatch(new RegExp(`${option}[ \\n]`))
    if (own.includes('\nCommands:\n')) expect(own).toContain(`  ${part} `)
  })

  it.each([...new Set(pages.flatMap((page) => readPage(page).match(/npm run [\w:]+/g) ?? []))])(
    'names an existing script: %s',
    (words) => {
      expect(Object.keys(packageJson.scripts)).toContain(words.split(' ')[2])
    },
  )

  it.each(blocks.filter(({ language }) => language === 'json'))('has valid JSON in $page', ({ text }) => {
    expect(JSON.parse(text)).toBeTypeOf('object')
  })
})

describe('a command of the documentation', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-docs-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it.each(commandsOfProgram('muster'))(
    '%s: %s succeeds, or fails only because its file is missing',
    async (_page, line) => {
      const argv = line
        .split(' ')
        .slice(1)
        .map((word) => word.replaceAll("'", ''))
      const { context, out, err } = commandContext({ cwd: folder, env: { HOME: folder } })
      const code = await muster({ argv, context })
      const said = code === 0 ? 'succeeded' : `${out()}${err()}`
      // What reads hosts without a file ends before it connects: there is no key to log in with.
      const early = argv[0] === 'discover' ? /no-login-method/ : /^error: There is no file /
      if (!early.test(said)) {
        expect(said).toMatch(/^succeeded$|file-not-found|does not exist|no such file|ENOENT/)
      }
    },
  )
})

describe('a YAML file of the documentation', () => {
  const yaml = blocks.filter(({ language }) => language === 'yaml')
  const isRecipe = ({ text }: Block): boolean => recipes.some((name) => text.startsWith(name))
  const isWhole = ({ text }: Block): boolean => text.startsWith('cluster:')
  const parts = yaml.filter((block) => !isRecipe(block) && !isWhole(block))
  const env = {
    PATH: process.env.PATH,
    ADMIN_PASS: 'x8Jw-Rt2q_Lm0',
    MONITORING_PASS: 'pL2-vvQ8s_Za',
    REPLICATION_PASSWORD: 'r7Tq_Wm3-xPa',
    MONITOR_PASSWORD: 'Zk4-nB9u_eHd',
    SUDO_PASS: 'n3Kd-Yp6w_Tb',
    KEYSTORE_PASSWORD: 'w9Hs-Gf4m_Qe',
    TRUSTSTORE_PASSWORD: 'd5Vc-Ju7x_Nk',
  }
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-docs-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const validate = async (files: Readonly<Record<string, string>>, ...options: string[]): Promise<string> => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const { context, out, err } = commandContext({ cwd: folder, env })
    const code = await muster({ argv: ['validate', ...options, ...Object.keys(files)], context })
    return code === 0 ? out() : `${code}: ${out()}${err()}`
  }

  it('is a whole configuration, a part of one, or a recipe that test/ci runs', () => {
    expect(yaml.filter(isWhole).map(({ page }) => page)).toEqual(['README.md', 'docs/guide/first-cluster.md'])
    expect(yaml.filter(isRecipe).map(({ page }) => page)).toEqual(Array(6).fill('docs/guide/ci.md'))
    expect(parts.map(({ page }) => page)).toEqual([
      'docs/guide/air-gapped.md',
      'docs/guide/certificates.md',
      'docs/guide/dashboard.md',
      'docs/guide/databases.md',
      'docs/guide/databases.md',
      'docs/guide/first-cluster.md',
      'docs/guide/hooks.md',
      'docs/guide/hooks.md',
      'docs/guide/ssh.md',
      'docs/guide/users.md',
    ])
  })

  it.each(yaml.filter(isWhole))('of $page is a valid configuration', async ({ text }) => {
    expect(await validate({ 'muster.yaml': text }, '--strict')).toBe(
      'The configuration of alpha is valid: 3 hosts, 9 APIs.\n',
    )
  })

  it.each(parts)(
    '$page: its part of a configuration is valid on top of that of the first cluster',
    async ({ text }) => {
      const whole = yaml.find((block) => isWhole(block) && block.page === 'docs/guide/first-cluster.md')
      const said = await validate({ 'muster.yaml': whole?.text ?? '', 'part.yaml': text })
      expect(said).toContain('\nThe configuration of alpha is valid: 3 hosts, 9 APIs.\n')
    },
  )
})

describe('README.md', () => {
  it('fits 150 lines', () => {
    expect(readPage('README.md').split('\n').length - 1).toBeLessThanOrEqual(150)
  })

  it('names the two commands that .ci/run runs on a fresh clone', () => {
    const shown = commandsOf('README.md')
    expect(shown).toContain('npm ci && npm run quickstart')
    expect(shown.at(-1)).toBe('npm test')
    const run = readPage('.ci/run')
    expect(run).toContain('\nnpm ci\n')
    expect(run).toContain(' npm test\n')
  })

  it('links to every page of the guide', () => {
    const missing = pages.filter(
      (page) => page !== 'README.md' && !readPage('README.md').includes(`](${page})`),
    )
    expect(missing).toEqual([])
  })
})

describe('docs/overview.svg', () => {
  const picture = readPage('docs/overview.svg')

  it.each([
    'manager-rest-api-port',
    'connector-rest-api-port',
    'replicator-rest-api-port',
    'application-port',
    'replication-port',
    'install-directory',
  ])('shows the default of %s', (option) => {
    const schema = JSON.parse(readPage('docs/muster.schema.json'))
    expect(picture).toContain(String(schema.$defs.options.properties[option].default))
  })

  it('shows the folders and the units of a host', () => {
    const { usersFile, log } = serviceData('systemd', { root: '/opt/muster', cluster: 'alpha' })
    for (const path of [dirname(usersFile), log]) expect(picture).toContain(`>${path}<`)
    expect(unitName({ cluster: 'alpha', component: 'manager' }).replace('manager', '*')).toBe(
      /muster-\S+service/.exec(picture)?.[0],
    )
  })

  it('has its own colours in dark mode', () => {
    const [light = '', dark = ''] = picture.split('@media (prefers-color-scheme: dark)')
    const classes = [...light.matchAll(/^ {4}([.\w-]+) \{ (?:fill|stroke): #/gm)].map(([, name]) => name)
    expect(classes.length).toBeGreaterThan(7)
    for (const name of classes) expect(dark).toContain(`      ${name} { `)
  })
})

describe('docs/guide/operate.md', () => {
  it('lists the exit codes as the program does', async () => {
    const [codes] = /0 done or clean.*130 interrupted/s.exec(await help('muster')) ?? []
    expect(codes).toBeDefined()
    const page = readPage('docs/guide/operate.md')
    expect(page.replaceAll(/\s+/g, ' ')).toContain(codes?.replaceAll(/\s+/g, ' '))
  })
})

describe('a link of the documentation', () => {
  const headingsOf = (page: string): readonly string[] =>
    [...readPage(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    )
  /** Path from the root and anchor that a link on a page leads to. */
  const targetOf = (page: string, link: string): readonly [path: string, anchor: string] => {
    const [path = '', anchor = ''] = link.split('#')
    return [path === '' ? page : join(dirname(page), path), anchor]
  }

  it.each([...pages, 'ARCHITECTURE.md', 'CHANGELOG.md', ...decisions])(
    'on %s has an existing target',
    (page) => {
      const text = readPage(page).replaceAll(/^```.*?^```/gms, '')
      const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1] ?? '')
      const local = links.filter((link) => !/^https?:/.test(link))
      if (page === 'README.md' || page === 'ARCHITECTURE.md') expect(local.length).toBeGreaterThan(10)
      const lost = local.filter((link) => {
        const [path, anchor] = targetOf(page, link)
        return !existsSync(join(root, path)) || (anchor !== '' && !headingsOf(path).includes(anchor))
      })
      expect(lost).toEqual([])
    },
  )
})

describe('ARCHITECTURE.md', () => {
  it('has the folder table that the layers test holds', () => {
    const layers = readPage('test/layers.test.ts')
    const rows = [...readPage('ARCHITECTURE.md').matchAll(/^\| `(\w+)\/` \|.*\| ([^|]+) \|$/gm)]
    expect(rows.length).toBeGreaterThan(14)
    for (const [, folder, imports] of rows) {
      if (/^all/.test(imports ?? '')) continue
      const held = new RegExp(`^  ${folder}: \\[([^\\]]*)\\]`, 'm').exec(layers)?.[1] ?? ''
      const names = [...held.matchAll(/'(\w+)'/g)].map((match) => match[1])
      expect(names.join(', ') || 'nothing', folder).toBe(imports)
    }
  })

  it('lists every record of a decision by its title', () => {
    const listed = [...readPage('ARCHITECTURE.md').matchAll(/^(\d+\. )\[(.+)\]\((docs\/decisions\/.+)\)$/gm)]
    const records = decisions.map((page) => [readPage(page).split('\n')[0], page])
    expect(listed.map(([, number, title, page]) => [`# ${number}${title}`, page])).toEqual(records)
  })
})

describe('a record of a decision', () => {
  it.each(decisions)('%s has a date, its context, the decision and its consequences', (page) => {
    const number = Number(page.split('/').at(-1)?.slice(0, 4))
    expect(readPage(page)).toMatch(
      new RegExp(
        `^# ${number}\\. .+\\n\\n\\d{4}-\\d\\d-\\d\\d\\n\\n## Context\\n[^]+\\n## Decision\\n[^]+\\n## Consequences\\n`,
      ),
    )
    expect(readPage(page).split('\n').length).toBeLessThan(45)
  })
})

describe('docs/guide/troubleshooting.md', () => {
  const table = readPage('docs/guide/troubleshooting.md').split('\n| code |')[1]?.split('\n## ')[0] ?? ''
  const cells = [...table.matchAll(/^\| (`.+?) \|/gm)].map(([, cell = '']) => cell)
  const codes = cells.flatMap((cell) => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, code = '']) => code))

  it('explains codes that the programs report', () => {
    expect(codes.length).toBeGreaterThan(9)
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readPage(join('src', name)))
    const isReported = (code: string): boolean => sources.some((text) => text.includes(`'${code}'`))
    expect(codes.filter((code) => !isReported(code))).toEqual([])
  })
})

describe('docs/guide/security-model.md', () => {
  it('names tests that exist, some for each party', () => {
    const rows = readPage('docs/guide/security-model.md')
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
