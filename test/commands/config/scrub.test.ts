import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { muster } from '../../../src/commands/muster.ts'
import { commandContext } from '../../config/commandContext.ts'
import { good } from '../../config/loadText.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

async function scrub(
  files: Readonly<Record<string, string | Buffer>>,
  argv: readonly string[],
  typed?: string,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const cwd = temporaryFolder()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content)
  const { context, out, err } = commandContext({ cwd, ...(typed === undefined ? {} : { typed }) })
  const code = await muster({ argv: ['config', '--scrub', ...argv], context })
  return { code, out: out(), err: err() }
}

const scrubbed = `cluster: name1
defaults:
  rest-api-admin-user: name2
services:
  name1:
    topology: clustered
    master: name3
    members: [name3]
    connectors: [name3]
hosts:
  name3: { address: 198.18.0.1 }
`

describe('muster config --scrub', () => {
  it('prints only the scrubbed file', async () => {
    expect(await scrub({ 'muster.yaml': good }, [])).toEqual({ code: 0, out: scrubbed, err: '' })
    expect(await scrub({}, ['-'], good)).toEqual({ code: 0, out: scrubbed, err: '' })
  })

  it('prints a file with errors, too', async () => {
    const wrong = await scrub({ 'muster.yaml': `${good}  db2: "acme\n` }, [])
    expect(wrong).toMatchObject({ code: 0, err: '' })
    expect(wrong.out).toMatch(/: "\S+\n$/)
    expect(wrong.out).not.toMatch(/acme|db1|10\.0/)
  })

  it('prints several files with numbered titles and the same replaced names', async () => {
    const files = { 'acme.yaml': good, 'acme-staging.yaml': 'hosts: { db1: { address: 10.0.0.99 } }' }
    const { out } = await scrub(files, ['acme.yaml', 'acme-staging.yaml'])
    expect(out).toBe(`# file 1 of 2\n${scrubbed}# file 2 of 2\nhosts: { name3: { address: 198.18.0.2 } }\n`)
  })

  it.each([
    ['is not there', {}, 'There is no file muster.yaml.'],
    ['is not text', { 'muster.yaml': Buffer.from('caf\xe9', 'latin1') }, 'The file is not UTF-8'],
  ])('exits with 3 if the file %s', async (_, files, message) => {
    const { code, out, err } = await scrub(files, [])
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err).toContain(message)
  })

  it('reports that validate has other findings for the printed text', async () => {
    // Neither a block nor a name: what its lines are depends on every word of them.
    const { code, err } = await scrub({ 'muster.yaml': `>a b c d\n# password\n  ${good}` }, [])
    expect(code).toBe(0)
    expect(err).toContain('validate reports different findings for this text than for your file')
  })

  it.each(['--origin', '--host=db1', '--format=json', '--set=log-level=warn'])(
    'cannot be combined with %s',
    async (option) => {
      const { code, err } = await scrub({ 'muster.yaml': good }, [option])
      expect(code).toBe(3)
      expect(err).toContain("option '--scrub' cannot be used with option")
    },
  )
})
