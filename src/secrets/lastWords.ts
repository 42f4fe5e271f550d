import { withoutSecrets } from './withoutSecrets.ts'

const mostLines = 5
const mostCharacters = 1000

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences and control characters are what it looks for
const unprintable = /\u001b\[[0-?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** The end of what a program said on standard error, in one line, without any of the values. */
export function lastWords(stderr: string, values: readonly string[]): string {
  const lines = withoutSecrets(stderr, values)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(unprintable, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const said = lines.slice(-mostLines).join(' / ')
  return said.length > mostCharacters ? `…${said.slice(-mostCharacters)}` : said
}
