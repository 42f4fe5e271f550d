import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CommandContext } from '../../src/cli/context.ts'
import { type FindingFormat, findingFormats } from '../../src/cli/formatOption.ts'
import { largestConfigFile } from '../../src/cli/readConfigFiles.ts'
import { muster } from '../../src/commands/muster.ts'
import { validate } from '../../src/commands/validate.ts'
import { commandContext } from '../config/commandContext.ts'
import { good } from '../config/loadText.ts'
import { asNobody } from '../support/asNobody.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

type Run = Partial<Omit<Parameters<typeof validate>[0], 'context'>>

async function run(
  cwd: string,
  options: Run = {},
  given: Partial<CommandContext> & { readonly typed?: string | Buffer } = {},
): Promise<{ code: number; out: string; err: string }> {
  const { context, out, err } = commandContext({ cwd, ...given })
  const code = await validate({
    context,
    files: [],
    set: [],
    format: 'text',
    strict: false,
    resolveSecrets: false,
    ...options,
  })
  return { code, out: out(), err: err() }
}

const found = async (cwd: string, options: Run, typed?: string | Buffer): Promise<string> => {
  const given = typed === undefined ? {} : { typed }
  const { code, out } = await run(cwd, { ...options, format: 'json' }, given)
  const { findings } = JSON.parse(out) as { findings: { code: string; file: string }[] }
  return [code, ...findings.map((finding) => `${finding.file} ${finding.code}`)].join(', ')
}

function folderWith(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = temporaryFolder()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
}

const warned = `${good}  db2: { address: 10.0.0.12 }\n`

describe('muster validate', () => {
  it('summarizes a valid file', async () => {
    const result = await run(folderWith({ 'muster.yaml': good }))
    expect(result).toEqual({
      code: 0,
      out: 'The configuration of alpha is valid: 1 host, 3 APIs.\n',
      err: '',
    })
  })

  it('succeeds with warnings, and fails with --strict', async () => {
    const folder = folderWith({ 'a.yaml': warned })
    const lenient = await run(folder, { files: ['a.yaml'] })
    expect(lenient.code).toBe(0)
    expect(lenient.out).toContain('a.yaml:12:3 warning unused-host')
    expect(lenient.out).toContain(
      '1 warning. More about each: muster explain CODE\nThe configuration of alpha is valid',
    )
    const strict = await run(folder, { files: ['a.yaml'], strict: true })
    expect(strict.code).toBe(1)
    expect(strict.out).toContain('a.yaml:12:3 error unused-host')
    expect(strict.out).not.toContain('is valid')
  })

  it('reads the file of MUSTER_FILE, unless an argument names another', async () => {
    const folder = folderWith({ 'a.yaml': good, 'b.yaml': good.replace('cluster: alpha', 'cluster: beta') })
    const env = { MUSTER_FILE: 'b.yaml' }
    expect((await run(folder, {}, { env })).out).toContain('beta')
    expect((await run(folder, { files: ['a.yaml'] }, { env })).out).toContain('alpha')
  })

  it('names files as they were typed', async () => {
    const folder = folderWith({ 'a.yaml': 'cluster: A' })
    mkdirSync(join(folder, 'deep'))
    const result = await run(join(folder, 'deep'), { files: ['../a.yaml'] })
    expect(result.out).toContain('../a.yaml:1:10 error bad-cluster-name')
    expect(result.out).not.toContain(folder)
  })

  it('reads standard input for -', async () => {
    expect((await run(folderWith({}), { files: ['-'] }, { typed: good })).out).toContain('is valid')
    expect(await found(folderWith({}), { files: ['-'] }, 'cluster: A')).toMatch(
      /^1, standard input missing-key, .*bad-cluster-name$/,
    )
    expect(await found(folderWith({}), { files: ['-', '-'] }, good)).toBe('1, standard input stdin-twice')
  })

  it('reads a secret for --set from standard input', async () => {
    const folder = folderWith({ 'muster.yaml': good })
    const set = ['rest-api-admin-pass=-']
    expect(await found(folder, { set }, 'tungsten\n')).toBe('1, --set default-password')
    expect(await found(folder, { set }, 'x8Jw-Rt2q_Lm0\n')).toBe('0')
    expect(await found(folder, { set, files: ['-'] }, good)).toBe('1, --set stdin-twice')
  })

  it('reports missing keystores', async () => {
    const stores = ['keystore-path: a.p12', 'keystore-password: !env A'].map((line) => `  java-${line}\n`)
    const text = good.replace(
      'defaults:\n',
      `defaults:\n${stores[0]?.replace('java-', 'java-tls-')}${stores[1]}  java-truststore-path: b.p12\n  java-truststore-password: !env B\n`,
    )
    const folder = folderWith({ 'muster.yaml': text, 'b.p12': '' })
    const env = { A: 'a', B: 'b' }
    const { out } = await run(folder, { format: 'json' }, { env })
    expect(JSON.parse(out).findings.map(({ code }: { code: string }) => code)).toEqual([
      'store-not-found',
      'truststore-not-a-store',
    ])
  })
})

describe('a silenced finding of muster validate', () => {
  const spare = `${good}  db2: { address: 10.0.0.12 } # muster-ignore: unused-host spare\n`

  it('is not printed, is counted in the last line, and does not fail the run', async () => {
    const folder = folderWith({ 'a.yaml': spare })
    for (const strict of [false, true]) {
      const { code, out } = await run(folder, { files: ['a.yaml'], strict })
      expect(out).toBe('The configuration of alpha is valid: 1 host, 3 APIs (1 silenced).\n')
      expect(code).toBe(0)
    }
  })

  it('is counted beside the other findings', async () => {
    const folder = folderWith({ 'a.yaml': `${spare}  db3: { address: 10.0.0.13 }\n` })
    const lenient = await run(folder, { files: ['a.yaml'] })
    expect(lenient.out).toMatch(
      /\n1 warning\. More about each: muster explain CODE\nThe configuration .* \(1 silenced\)\.\n$/,
    )
    const strict = await run(folder, { files: ['a.yaml'], strict: true })
    expect(strict.code).toBe(1)
    expect(strict.out).toMatch(/\n1 error and 1 silenced\. More about each: muster explain CODE\n$/)
  })

  it('has an unused comment reported if it silences nothing, and that fails with --strict', async () => {
    const folder = folderWith({ 'a.yaml': `# muster-ignore: unused-host spare\n${good}` })
    expect(await found(folder, { files: ['a.yaml'] })).toBe('0, a.yaml ignore-unused')
    expect(await found(folder, { files: ['a.yaml'], strict: true })).toBe('1, a.yaml ignore-unused')
  })

  it('has no unused comment reported if files or --set are merged', async () => {
    const folder = folderWith({ 'a.yaml': `# muster-ignore: unused-host spare\n${good}`, 'b.yaml': good })
    expect(await found(folder, { files: ['a.yaml', 'b.yaml'] })).toBe('0')
    expect(await found(folder, { files: ['a.yaml'], set: ['log-level=debug'] })).toBe('0')
  })
})

describe('the output formats of muster validate', () => {
  const programs = findingFormats.filter((format) => format !== 'text')

  /** How each format says that there was nothing, a warning, an error. */
  const signs = {
    json: { clean: '"findings": []', warning: '"severity": "warning"', error: '"severity": "error"' },
    sarif: { clean: '"results": []', warning: '"level": "warning"', error: '"level": "error"' },
    junit: { clean: 'name="no findings"', warning: '<system-out>', error: '<failure message=' },
    github: { clean: '', warning: '::warning file=', error: '::error file=' },
    markdown: { clean: 'no findings', warning: '<summary>warning ', error: '<summary>error ' },
  } as const

  it.each(programs)('%s: the exit code is the same as for text', async (format) => {
    const folder = folderWith({ 'good.yaml': good, 'warned.yaml': warned, 'bad.yaml': 'cluster: A' })
    const sign = signs[format]
    const clean = await run(folder, { files: ['good.yaml'], format })
    expect(clean.code).toBe(0)
    expect(clean.out).toContain(sign.clean)
    expect(clean.out).not.toContain(sign.warning)
    const lenient = await run(folder, { files: ['warned.yaml'], format })
    expect(lenient.code).toBe(0)
    expect(lenient.out).toContain(sign.warning)
    expect(lenient.out).not.toContain(sign.error)
    const strict = await run(folder, { files: ['warned.yaml'], format, strict: true })
    expect(strict.code).toBe(1)
    expect(strict.out).toContain(sign.error)
    expect(strict.out).not.toContain(sign.warning)
    expect((await run(folder, { files: ['bad.yaml'], format })).code).toBe(1)
  })

  it.each(programs)('%s: a missing file is reported in the format', async (format) => {
    const folder = folderWith({})
    const { code, out, err } = await run(folder, { files: [join(folder, 'none.yaml')], format })
    expect(code).toBe(3)
    expect(out).toContain('file-not-found')
    expect(out).toContain('There is no file none.yaml.')
    expect(out).toContain(signs[format].error)
    expect(err).toBe('')
  })

  it.each(programs)('%s: contains no absolute path', async (format) => {
    const folder = folderWith({ 'a.yaml': warned, 'b.yaml': 'defaults: { log-level: x }' })
    mkdirSync(join(folder, 'deep'))
    const files = [join(folder, 'a.yaml'), join(folder, 'b.yaml')]
    for (const cwd of [folder, join(folder, 'deep')]) {
      const { out } = await run(cwd, { files, format })
      expect(out).toContain('a.yaml')
      expect(out).toContain('b.yaml')
      expect(out).not.toContain(folder)
    }
    expect((await run(folder, { files })).out).toContain(`${files[0]}:12:3 warning`)
  })

  it('are chosen by --format, and --json is one of them', async () => {
    const folder = folderWith({ 'muster.yaml': warned })
    const argued = async (...argv: string[]): Promise<{ code: number; out: string; err: string }> => {
      // GitHub's own variable changes nothing: the log is for people unless asked.
      const { context, out, err } = commandContext({ cwd: folder, env: { GITHUB_ACTIONS: 'true' } })
      return { code: await muster({ argv: ['validate', ...argv], context }), out: out(), err: err() }
    }
    expect((await argued()).out).toContain('muster.yaml:12:3 warning unused-host\n')
    expect((await argued('--format', 'github')).out).toMatch(/^::warning file=muster.yaml,line=12,/)
    expect((await argued('--format', 'sarif')).out).toContain('"version": "0.1.0"')
    expect((await argued('--json')).out).toBe((await argued('--format', 'json')).out)
    const both = await argued('--json', '--format', 'sarif')
    expect(both.code).toBe(3)
    expect(both.err).toContain("option '--json' cannot be used with option '--format <format>'")
    expect((await argued('--format', 'xml')).code).toBe(3)
  })

  it('include silenced findings if the format supports it', async () => {
    const text = warned.replace('0.12 }', '0.12 } # muster-ignore: unused-host spare')
    const folder = folderWith({ 'a.yaml': text })
    const of = async (format: FindingFormat): Promise<string> =>
      (await run(folder, { files: ['a.yaml'], format })).out
    expect(await of('sarif')).toContain('"justification": "spare"')
    expect(await of('junit')).toContain('<skipped message="Silenced: spare">')
    expect(await of('json')).toBe('{\n  "findings": []\n}\n')
    expect(await of('github')).toBe('')
  })
})

describe('several files of muster validate', () => {
  const folder = (): string =>
    folderWith({
      'a.yaml': good,
      'b.yaml': good.replace('cluster: alpha', 'cluster: beta'),
      'warned.yaml': warned,
      'bad.yaml': good.replace('cluster: alpha', 'cluster: A'),
    })
  const merged = 'Merged a.yaml and b.yaml into one configuration. To validate each file alone, use --each.\n'

  it('are merged, and the output says so, on standard error for JSON and the like', async () => {
    const files = ['a.yaml', 'b.yaml']
    expect(await run(folder(), { files })).toEqual({
      code: 0,
      out: `${merged}The configuration of beta is valid: 1 host, 3 APIs.\n`,
      err: '',
    })
    for (const format of findingFormats.filter((it) => it !== 'text')) {
      expect(await run(folder(), { files, format })).toMatchObject({ code: 0, err: merged })
    }
    expect((await run(folder(), { files: ['a.yaml'] })).out).not.toContain('Merged')
  })

  it('are validated separately with --each, with one line each', async () => {
    const files = ['a.yaml', 'b.yaml', 'a.yaml']
    expect(await run(folder(), { files, each: true })).toEqual({
      code: 0,
      out:
        'a.yaml: The configuration of alpha is valid: 1 host, 3 APIs.\n' +
        'b.yaml: The configuration of beta is valid: 1 host, 3 APIs.\n',
      err: '',
    })
    const mixed = await run(folder(), { files: ['bad.yaml', 'b.yaml', 'none.yaml'], each: true })
    expect(mixed.code).toBe(3)
    expect(mixed.out).toMatch(
      /bad\.yaml:1:10 error bad-cluster-name\n[\s\S]*none\.yaml:1:1 error file-not-found\n/,
    )
    expect(mixed.out).toMatch(/\nbad\.yaml: 1 error\.\nb\.yaml: The .* is valid.*\nnone\.yaml: 1 error\.\n$/)
  })

  it('end with the worst exit code of --each', async () => {
    const code = async (files: readonly string[], strict = false): Promise<number> =>
      (await run(folder(), { files, strict, each: true })).code
    expect(await code(['a.yaml', 'warned.yaml'])).toBe(0)
    expect(await code(['a.yaml', 'warned.yaml'], true)).toBe(1)
    expect(await code(['bad.yaml', 'a.yaml'])).toBe(1)
    expect(await code(['none.yaml', 'bad.yaml', 'a.yaml'])).toBe(3)
  })

  it.each(['json', 'sarif', 'junit', 'github'] as const)('are one report of --each as %s', async (format) => {
    const files = ['bad.yaml', 'warned.yaml', 'b.yaml']
    const { code, out, err } = await run(folder(), { files, format, each: true })
    expect({ code, err }).toEqual({ code: 1, err: '' })
    if (format === 'json' || format === 'sarif') JSON.parse(out)
    expect(out.match(/bad-cluster-name/g)?.length).toBeGreaterThan(0)
    expect(out).toContain('warned.yaml')
    expect(out).toContain('bad.yaml')
    if (format === 'junit')
      expect(out).toContain('<testcase classname="b" name="no findings" file="b.yaml"/>')
  })

  it('share the value that --set reads from standard input, which cannot be a file then', async () => {
    const set = ['rest-api-admin-pass=-']
    const files = ['a.yaml', 'b.yaml']
    expect((await run(folder(), { files, set, each: true }, { typed: 'v3ry-L0ng-and-odd\n' })).code).toBe(0)
    const wrong = await run(folder(), { files, set, each: true }, { typed: 'secret\n' })
    expect(wrong.out).toContain('a.yaml: 1 error.\nb.yaml: 1 error.\n')
    await expect(run(folder(), { files: ['-', 'a.yaml'], set, each: true })).rejects.toThrow(
      'Standard input can be read only once, but a file and --set both use it.',
    )
  })
})

describe('a file that muster validate cannot read', () => {
  it('is reported with the reason', async () => {
    const folder = folderWith({
      'empty.yaml': '',
      'large.yaml': Buffer.alloc(largestConfigFile + 1, '#'),
      'latin.yaml': Buffer.from('cluster: caf\xe9\n', 'latin1'),
      'utf16.yaml': Buffer.from(`\ufeff${good}`, 'utf16le'),
    })
    mkdirSync(join(folder, 'folder'))
    symlinkSync('loop', join(folder, 'loop'))
    const of = (name: string): Promise<string> => found(folder, { files: [name] })
    expect(await of('none.yaml')).toBe('3, none.yaml file-not-found')
    expect(await of('empty.yaml/x')).toBe('3, empty.yaml/x file-not-found')
    expect(await of('folder')).toBe('3, folder file-is-directory')
    expect(await of('loop')).toBe('3, loop file-unreadable')
    expect(await of('empty.yaml')).toBe('1, empty.yaml empty-file')
    expect(await of('large.yaml')).toBe('1, large.yaml file-too-large')
    expect(await of('latin.yaml')).toBe('1, latin.yaml file-not-utf8')
    expect(await of('utf16.yaml')).toBe('1, utf16.yaml file-not-utf8')
  })

  it('is reported with the first byte that is not UTF-8', async () => {
    const folder = folderWith({ 'a.yaml': Buffer.from('cluster: caf\xe9\n', 'latin1') })
    expect((await run(folder, { files: ['a.yaml'] })).out).toContain('the byte at position 13')
  })

  it('is reported with the way to name or create one if none was named', async () => {
    const { code, out } = await run(folderWith({}))
    expect(code).toBe(3)
    expect(out).toContain('There is no file muster.yaml.')
    expect(out).toContain('muster init')
  })

  it.skipIf(process.platform === 'win32')('is reported if permission is denied', async () => {
    const folder = folderWith({ 'a.yaml': good })
    chmodSync(folder, 0o755)
    chmodSync(join(folder, 'a.yaml'), 0)
    const { code, out } = await asNobody(() => run(folder, { files: ['a.yaml'] }))
    expect(code).toBe(3)
    expect(out).toContain('a.yaml cannot be read: permission denied.')
  })

  it('is reported together with the findings of other files', async () => {
    const folder = folderWith({ 'a.yaml': 'cluster: A' })
    expect(await found(folder, { files: ['a.yaml', 'b.yaml'] })).toMatch(
      /^3, b.yaml file-not-found, a.yaml bad-cluster-name$/,
    )
  })
})

describe('a password in a file of muster validate', () => {
  const sentinel = `Zq7'"\\$#%:@ é`

  it.each([
    ['in quotes', `'${sentinel.replaceAll("'", "''")}'`],
    ['without quotes', sentinel],
    ['in double quotes', JSON.stringify(sentinel)],
    ['in broken quotes', `"${sentinel}`],
    ['with an unknown tag', `!${sentinel}`],
  ])('%s shows in no format', async (_name, value) => {
    const text = good.replace(
      'defaults:',
      `defaults:\n  rest-api-admin-pass: ${value}\n  monitor-password: ${value}`,
    )
    const folder = folderWith({ 'muster.yaml': text })
    for (const format of findingFormats) {
      const { out, err } = await run(folder, { format, set: [`rest-api-admin-pass=${sentinel}`] })
      expect(out.length).toBeGreaterThan(100)
      expect(out + err).not.toMatch(/Zq7|#%:@/)
    }
  })
})
