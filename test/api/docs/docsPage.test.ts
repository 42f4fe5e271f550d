import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { docsPage, renderDocs } from '../../../src/api/docs/docsPage.ts'
import { html, typeMarkup, withCode } from '../../../src/api/docs/schemaList.ts'
import { componentApis } from '../../../src/components/componentApis.ts'
import { components } from '../../../src/contracts/component.ts'
import { openApiDocument } from '../../../src/contracts/openapi.ts'
import { componentRoutes } from '../../support/componentRoutes.ts'
import { testApi } from '../../support/testApi.ts'

const documentOf = (component: (typeof components)[number], server = 'https://db1:8090') =>
  openApiDocument({ component, version: '1.2.3', routes: componentRoutes(component), server })

const all = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found)

/** Text as a browser reads it from markup. */
const plain = (markup: string): string =>
  markup
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

describe.each(components)('the documentation page of the %s', (component) => {
  const document = documentOf(component)
  const page = renderDocs(document).text
  const articles = page.split('<article id="').slice(1)
  const articleOf = (name: string): string => articles.find((it) => it.startsWith(`${name}"`)) ?? ''

  it('names the component, the version and its URL', () => {
    expect(page).toContain(`<h1>APIv2 of the ${component}</h1>`)
    expect(plain(page)).toContain('muster 1.2.3 at https://db1:8090')
  })

  it('lists every call below its tag, with parameters, examples, errors and a curl command', () => {
    expect(articles).toHaveLength(componentRoutes(component).length)
    for (const route of componentRoutes(component)) {
      const operation = document.paths[route.path]?.[route.method.toLowerCase()]
      const text = plain(articleOf(route.name))
      expect(text, route.name).toContain(`${route.method} ${route.path}`)
      for (const { name, description } of operation?.parameters ?? []) {
        expect(text).toContain(name)
        expect(text).toContain(description.replaceAll('`', ''))
      }
      const { example } = Object.values(operation?.responses['200']?.content ?? {})[0] ?? {}
      expect(text).toContain(typeof example === 'string' ? example.trim() : JSON.stringify(example, null, 2))
      for (const { example: body } of Object.values(operation?.requestBody?.content ?? {})) {
        expect(text).toContain(`<<'END'\n${JSON.stringify(body, null, 2)}\nEND`)
      }
      const codes = Object.values(operation?.responses ?? {}).flatMap((it) => all(it.description, /`(.+?)`/g))
      expect(codes.length).toBeGreaterThan(3)
      for (const code of codes) expect(text).toContain(code)
      expect(text).toContain('curl --cacert authority.crt')
    }
    const order = all(page, /<h2 id="tag-[a-z-]+">([^<]+)</g)
    expect(order).toEqual(document.tags.map(({ name }) => name))
  })

  it('links only to places in itself and to its OpenAPI document', () => {
    const ids = all(page, /\sid="([^"]*)"/g)
    expect(new Set(ids).size).toBe(ids.length)
    const links = all(page, /\s(?:href|src|action|srcset|data)="([^"]*)"/g)
    expect(links.length).toBeGreaterThan(articles.length)
    const elsewhere = links.filter((it) => !(it.startsWith('#') && ids.includes(it.slice(1))))
    expect([...new Set(elsewhere)]).toEqual(['data:,', '/openapi.json'])
    expect(page).not.toMatch(/<script|<iframe|<form|<object|\son\w+=|\sstyle=|@import|url\(/i)
  })

  it('has landmarks, one h1, and no skipped heading level', () => {
    for (const landmark of ['header', 'nav', 'main', 'footer']) {
      expect(all(page, new RegExp(`<(${landmark})[ >]`, 'g')), landmark).toHaveLength(1)
    }
    const levels = all(page, /<h([1-6])[ >]/g).map(Number)
    expect(levels.filter((it) => it === 1)).toEqual([1])
    levels.reduce((before, level) => {
      expect(level - before).toBeLessThanOrEqual(1)
      return level
    }, 0)
    expect(page).toContain('<html lang="en">')
  })

  it('closes every element that it opens', () => {
    const open: string[] = []
    for (const [, end, name = ''] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
      if (['meta', 'link', 'wbr'].includes(name)) continue
      if (end === '') open.push(name)
      else expect(open.pop()).toBe(name)
    }
    expect(open).toEqual([])
  })
})

describe('GET /docs', () => {
  it('needs no login, like the OpenAPI document, even on a host without users', async () => {
    const { call } = await testApi({ served: componentApis.connector.served, withAdmin: false })
    for (const url of ['/docs', '/openapi.json']) {
      expect((await call({ url, headers: { accept: '*/*' } })).statusCode).toBe(200)
    }
    const answer = await call({ url: '/docs', headers: { accept: 'text/html,application/xml;q=0.9' } })
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
    expect(plain(answer.body)).toContain("'https://db1:8090/api/v2/ping'")
  })

  it('lets a browser load nothing, and apply only the style sheet in the page', () => {
    const { text, headers = [] } = docsPage(documentOf('manager'))
    const sheet = all(text, /<style>([\s\S]*?)<\/style>/g).map((it) =>
      createHash('sha256').update(it).digest('base64'),
    )
    expect(sheet).toHaveLength(1)
    const policy = headers[headers.indexOf('Content-Security-Policy') + 1]
    expect(policy?.split('; ')).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${sheet[0]}'`,
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
  })

  it('shows text of a caller as text, whatever it contains', () => {
    const page = renderDocs(documentOf('manager', `https://"><script>alert('1')</script>&`)).text
    expect(page).not.toContain('<script')
    expect(page).toContain('&lt;script&gt;')
    // Closed, and opened again: one word for a shell.
    expect(plain(page)).toContain(`'https://"><script>alert('\\''1'\\'')</script>&/api/v2/ping'`)
  })
})

describe('the html template', () => {
  it('escapes texts and keeps markup', () => {
    expect(html`<a title="${`"'<&>`}">${html`<b>${'<'}</b>`}</a>`.text).toBe(
      '<a title="&quot;&#39;&lt;&amp;&gt;"><b>&lt;</b></a>',
    )
    expect(html`${withCode('a `<b>` c')}`.text).toBe('a <code>&lt;b&gt;</code> c')
  })

  it.each([
    [{ type: 'string', format: 'date-time' }, 'string (date-time)'],
    [{ anyOf: [{ $ref: '#/components/schemas/Policy' }, { type: 'null' }] }, 'Policy or null'],
    [{ type: 'array', items: { type: 'integer' } }, 'list of integer'],
    [{ type: 'string', enum: ['a', 'b'] }, '"a" or "b"'],
    [{ type: 'string', const: 'a' }, '"a"'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'object of string by name'],
    [{}, 'any'],
    [undefined, 'any'],
  ])('describes the type of %j', (schema, words) => {
    expect(plain(typeMarkup(schema).text)).toBe(words)
  })
})
