import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CommandContext } from '../../src/cli/context.ts'
import { importIni } from '../../src/commands/import.ts'
import { muster } from '../../src/commands/muster.ts'
import { validate } from '../../src/commands/validate.ts'
import { commandContext } from '../config/commandContext.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const sentinel = `Zq7'"\\$#%:@ éXw9`
const good = `[defaults]
rest-api-admin-user=admin
rest-api-admin-pass=${sentinel}
[alpha]
topology=clustered
master=db1
members=db1,db2,db3
`

type Given = Partial<CommandContext> & { readonly typed?: string | Buffer }

/** Runs the command in a folder with `tungsten.ini`. */
async function run(text: string | Buffer | undefined, options: object = {}, given: Given = {}) {
  const cwd = temporaryFolder()
  if (text !== undefined) writeFileSync(join(cwd, 'tungsten.ini'), text)
  const { context, out, err } = commandContext({ cwd, ...given })
  const all = { file: 'tungsten.ini', cluster: undefined, out: undefined, force: false, ...options }
  const code = await importIni({ context, ...all })
  return { code, out: out(), err: err(), cwd }
}

describe('muster import', () => {
  it('prints the YAML file, which validates', async () => {
    const { code, out, err } = await run(good)
    expect(code).toBe(0)
    expect(out).toContain('cluster: alpha\n')
    expect(out).toContain(`rest-api-admin-pass: '${sentinel.replaceAll("'", "''")}'\n`)
    expect(err).toBe(
      'note: The output contains secrets in plain text. --out FILE writes a file that only you can read.\n',
    )
    const checked = commandContext({ typed: out })
    const options = { context: checked.context, files: ['-'], set: [], format: 'text', strict: true } as const
    expect(await validate({ ...options, resolveSecrets: false } as Parameters<typeof validate>[0])).toBe(0)
  })

  it('writes a file that only the owner can read, and names the next command', async () => {
    const { code, out, err, cwd } = await run(good, { out: 'muster.yaml' })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toBe(
      'Wrote muster.yaml, readable only by you. Next, check it with: muster validate muster.yaml\n',
    )
    expect(statSync(join(cwd, 'muster.yaml')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(cwd, 'muster.yaml'), 'utf8')).toContain('cluster: alpha')
  })

  it('overwrites a file only with --force', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'a.yaml'), 'mine')
    const refused = await run(good, { out: 'a.yaml', file: '-' }, { cwd, typed: good })
    expect(refused).toMatchObject({ code: 3, out: '' })
    expect(refused.err).toBe(
      'error: a.yaml already exists and was not changed.\n  fix: To overwrite it, add --force.\n',
    )
    expect(readFileSync(join(cwd, 'a.yaml'), 'utf8')).toBe('mine')
    const forced = await run(good, { out: 'a.yaml', file: '-', force: true }, { cwd, typed: good })
    expect(forced.code).toBe(0)
    expect(readFileSync(join(cwd, 'a.yaml'), 'utf8')).toContain('Created from standard input')
    expect(readdirSync(cwd)).toContain('a.yaml')
  })

  it('reports why it cannot write', async () => {
    const nowhere = await run(good, { out: 'no/a.yaml' })
    expect(nowhere).toMatchObject({ code: 3, out: '' })
    expect(nowhere.err).toContain('its folder does not exist')
    expect((await run(good, { out: '.', force: true })).err).toContain('is a directory')
  })

  it('shows no secret on a terminal', async () => {
    const printed = { text: '' }
    const stdout = { write: (text: string) => (printed.text += text), isTTY: true, columns: 80 }
    const { code, err } = await run(good, {}, { stdout })
    expect(code).toBe(0)
    expect(printed.text).toContain('rest-api-admin-pass: [redacted]\n')
    expect(printed.text + err).not.toMatch(/Zq7|#%:@/)
    expect(err).toContain('Secrets are shown as [redacted] on a terminal.')
  })

  it('reads standard input for -', async () => {
    const { code, out } = await run(
      undefined,
      { file: '-' },
      { typed: `\ufeff${good.replaceAll('\n', '\r\n')}` },
    )
    expect(code).toBe(0)
    expect(out).toContain('members: [db1, db2, db3]\n')
  })

  it('names the cluster as --cluster does', async () => {
    expect((await run(good, { cluster: 'prod-1' })).out).toContain('\ncluster: prod-1\n')
    const wrong = await run(good, { cluster: 'Prod 1' })
    expect(wrong.code).toBe(1)
    expect(wrong.err).toContain('standard output:3:10 error bad-cluster-name')
  })

  it('reports the findings of both files, and fails for errors in either', async () => {
    const about = await run(`${good}thl-port=1\nx\n`, { out: 'deep.yaml' })
    expect(about.code).toBe(1)
    expect(about.err).toContain('tungsten.ini:8:1 warning ini-no-counterpart')
    expect(about.err).toContain('tungsten.ini:9:1 error ini-not-an-option')
    expect(about.out).toContain('Next, correct it, then check it with: muster validate deep.yaml\n')
    const then = await run(good.replace('db1,db2,db3', 'db2,db3'), { out: 'deep.yaml' })
    expect(then.code).toBe(1)
    expect(then.err).toMatch(/deep\.yaml:\d+:13 error master-not-member/)
    expect(then.err).not.toContain('tungsten.ini')
    const warned = await run(good.replace(',db3', ''))
    expect(warned.code).toBe(0)
    expect(warned.err).toContain('standard output:14:14 warning even-managers')
  })

  it('writes nothing for a file that is not text or is missing', async () => {
    const latin = await run(Buffer.from(good, 'latin1'), { out: 'a.yaml' })
    expect(latin).toMatchObject({ code: 1, out: '' })
    expect(latin.err).toContain('error file-not-utf8')
    const nul = await run(`${good}\0`, { out: 'a.yaml' })
    expect(nul).toMatchObject({ code: 1, out: '' })
    expect(nul.err).toContain('tungsten.ini:8:1 error nul-character')
    expect(readdirSync(nul.cwd)).toEqual(['tungsten.ini'])
    const missing = await run(undefined)
    expect(missing).toMatchObject({ code: 3, out: '' })
    expect(missing.err).toContain('There is no file tungsten.ini.')
    const large = await run(Buffer.alloc(10_000_001, '#'))
    expect(large).toMatchObject({ code: 1, out: '' })
    expect(large.err).toContain('error file-too-large')
  })

  it('reports a file without a service', async () => {
    const { code, err } = await run('# nothing\n')
    expect(code).toBe(1)
    expect(err).toContain('tungsten.ini:1:1 error ini-no-service')
  })

  it('shows no password in its messages', async () => {
    const texts = [
      good.replace('-pass=', '-pas='),
      good.replace('-pass=', '-pass: '),
      good.replace('rest-api-admin-pass=', ''),
      `${good}[beta\nrest-api-admin-pass=${sentinel}\n`,
      `${good}\0`,
    ]
    for (const text of texts) {
      const { out, err } = await run(text, { out: 'a.yaml' })
      expect(err).toMatch(/ (error|warning) ini-| error nul-/)
      expect(out + err).not.toMatch(/Zq7|Xw9|#%:@/)
    }
  })

  it('is a command of the program', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'tungsten.ini'), good)
    const { context, out } = commandContext({ cwd })
    const argv = ['import', 'tungsten.ini', '--out', 'a.yaml', '--cluster', 'beta']
    expect(await muster({ argv, context })).toBe(0)
    expect(out()).toContain('Wrote a.yaml')
    expect(readFileSync(join(cwd, 'a.yaml'), 'utf8')).toContain('cluster: beta')
    expect(await muster({ argv, context })).toBe(3)
    expect(await muster({ argv: [...argv, '--force'], context })).toBe(0)
    expect(await muster({ argv: ['import'], context })).toBe(3)
  })
})
