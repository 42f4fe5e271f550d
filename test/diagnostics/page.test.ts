import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readPage } from '../../src/diagnostics/page.ts'

const docs = fileURLToPath(new URL('../../docs', import.meta.url))
const pages = ['findings', 'options'].flatMap((folder) =>
  readdirSync(`${docs}/${folder}`).map((file) => [`${folder}/${file}`]),
)

describe('a page of the documentation', () => {
  it('has a title and blocks of Markdown', () => {
    const text = '---\ntitle: Ports\n---\n\nA port.\n\nWrong:\n\n```yaml\nport: 0\n```\n'
    expect(readPage(text)).toEqual({
      title: 'Ports',
      blocks: ['A port.', 'Wrong:', '```yaml\nport: 0\n```'],
    })
  })

  it('may have a title alone', () => {
    expect(readPage('---\ntitle: Ports\n---\n')).toEqual({ title: 'Ports', blocks: [] })
  })

  it('has a title in double quotes if YAML requires them', () => {
    expect(readPage('---\ntitle: "!env: \\"a\\""\n---\n').title).toBe('!env: "a"')
  })

  it('may say more than a title in its front matter', () => {
    const text = '---\ntitle: Ports\ngroup: Of a host\norder: 10\n---\n\nA port.\n'
    expect(readPage(text)).toEqual({ title: 'Ports', blocks: ['A port.'] })
  })

  it.each(['', 'A port.\n', '---\n---\n', '---\ntitle: \n---\n', '---\ntitle: A\nA port.\n'])(
    'is rejected without a title in its front matter: %j',
    (text) => {
      expect(() => readPage(text)).toThrow('not a page: ')
    },
  )

  it.each(pages)('has the same title as in YAML (%s)', (path) => {
    const text = readFileSync(`${docs}/${path}`, 'utf8')
    const [, frontMatter = ''] = /^---\n(.*?)\n---\n/s.exec(text) ?? []
    const { title, ...others } = parse(frontMatter)
    expect(title).toBe(readPage(text).title)
    expect(Object.keys(others)).toEqual(path.startsWith('findings/') ? ['severity', 'group', 'order'] : [])
  })
})
