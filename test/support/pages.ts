import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Root of the project, with a slash at its end. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Text of a file of the project, by its path from the root. */
export const readPage = (page: string): string => readFileSync(`${root}${page}`, 'utf8')

const pagesOf = (folder: string): readonly string[] =>
  readdirSync(`${root}${folder}`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)

/** Pages that show commands and files to their readers. */
export const pages: readonly string[] = ['README.md', 'CONTRIBUTING.md', ...pagesOf('docs/guide')]

/** Records of decisions. */
export const decisions: readonly string[] = pagesOf('docs/decisions')

/** Code block of a page. */
export type Block = { readonly page: string; readonly language: string; readonly text: string }

/** Returns the code blocks of a page, in its order. */
export const blocksOf = (page: string): readonly Block[] =>
  [...readPage(page).matchAll(/^```([^\n]*)\n(.*?)^```/gms)].map(([, language = '', text = '']) => ({
    page,
    language,
    text,
  }))

/** Returns the first block of a page in a language; throws without one. */
export function blockOf(page: string, language: string): string {
  const block = blocksOf(page).find((shown) => shown.language === language)
  if (block === undefined) throw new Error(`${page} shows no ${language}`)
  return block.text
}

/** Returns every command line that a page shows, without comments. */
export const commandsOf = (page: string): readonly string[] =>
  blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.trim().split('\n'))
