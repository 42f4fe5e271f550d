import { shortListOf } from '../../base/words.ts'
import { wrap } from '../../base/wrapping.ts'

/** Limit of URLs on one line. */
const maxListed = 4

/** API URLs of one component, in the order of the hosts. */
type ComponentUrls = { readonly component: string; readonly urls: readonly string[] }

/** Lists the API URLs after an installation, and commands to copy; ends with a newline. */
export function apiUrlsText(options: {
  readonly apis: readonly ComponentUrls[]
  readonly commands: readonly { readonly what: string; readonly command: string }[]
  readonly width: number
}): string {
  const { apis, commands, width } = options
  const rows = [
    ...apis.map(({ component, urls }) => ({ title: component, text: shortListOf(urls, maxListed) })),
    ...commands.map(({ what, command }) => ({ title: what, text: command })),
  ]
  const column = Math.max(0, ...rows.map(({ title }) => title.length))
  const lines = rows.flatMap(({ title, text }, index) => {
    const first = `  ${title.padEnd(column)}  `
    const rest = ' '.repeat(column + 4)
    if (index < apis.length) return wrap(text, { width, first, rest })
    // A backslash within quotes would be a part of the word.
    if (text.includes("'")) return [`${first}${text}`]
    // With it the command can be copied as it stands.
    const parts = wrap(text, { width: width - 2, first, rest })
    return parts.map((part, at) => (at === parts.length - 1 ? part : `${part} \\`))
  })
  return lines.map((line) => `${line}\n`).join('')
}
