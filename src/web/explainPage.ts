import type { ExplainPage } from '../contracts/dashboard.ts'
import type { ReasonCode } from '../contracts/routing.ts'
import { readPage } from '../diagnostics/page.ts'
import texts from './pages.json' with { type: 'json' }

// The compiler checks that .ci/pages.js gathers the page of each code that a picture may have.
const pages: Readonly<Record<ReasonCode, string>> = texts

const isExplained = (code: string): code is ReasonCode => Object.hasOwn(pages, code)

/** Returns the page of `muster explain` about a code of the picture; undefined for another word. */
export function explainPage(code: string): ExplainPage | undefined {
  if (!isExplained(code)) return undefined
  const { title, blocks } = readPage(pages[code])
  return {
    code,
    title,
    blocks: blocks
      // The label says no more than the look of the code below it.
      .filter((block) => block !== 'Commands:')
      .map((block) => {
        const [, script] = /^```\w+\n(.*)\n```$/s.exec(block) ?? []
        return script === undefined
          ? { kind: 'text' as const, text: block.replaceAll('\n', ' ') }
          : { kind: 'code' as const, text: script }
      }),
  }
}
