import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import files from '../../src/web/page.json' with { type: 'json' }

const all = Object.entries(files)
const textOf = (name: keyof typeof files): string =>
  gunzipSync(Buffer.from(files[name].gzip, 'base64')).toString()

describe('the built page', () => {
  it('is at most 40 KB in all, compressed either way', () => {
    const bytes = (form: 'gzip' | 'brotli'): number =>
      all.reduce((sum, [, file]) => sum + Buffer.from(file[form], 'base64').length, 0)
    expect(bytes('gzip')).toBeLessThanOrEqual(40 * 1024)
    expect(bytes('brotli')).toBeLessThanOrEqual(40 * 1024)
  })

  it('has no script, style or event handler in its markup', () => {
    const html = textOf('index.html')
    expect(html).toContain('src="app.js"')
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)[^>]*>/)
  })

  it('loads nothing from elsewhere, and calls nothing that makes code of text or keeps it', () => {
    const found = (['index.html', 'app.js', 'app.css', 'icon.svg'] as const).flatMap((name) => {
      // Names of XML, which nobody loads.
      const text = textOf(name).replaceAll(/http:\/\/www\.w3\.org\/[\w/]+/g, '')
      const wrong =
        /https?:\/\/.{0,20}|\burl\(|\beval\(|new Function|document\.write|localStorage|sessionStorage|indexedDB/g
      return [...text.matchAll(wrong)].map(([words]) => `${name}: ${words}`)
    })
    expect(found).toEqual([])
  })
})
