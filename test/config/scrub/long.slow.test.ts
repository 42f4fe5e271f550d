import { expect, it } from 'vitest'
import { scrubText } from './scrubText.ts'

const hosts = Array.from(
  { length: 500 },
  (_, n) =>
    `  h${n}: { address: 10.1.${n >> 7}.${(n + 1) & 127 || 128}, options: { rest-api-admin-pass: secret${n}, foo${n}: 1 } } # c`,
).join('\n')

// A step that looks at the whole text for each of its parts would take minutes here.
it.each([
  ['500 hosts', `cluster: a\nhosts:\n${hosts}\n`],
  ['500 hosts, broken', `cluster: a\nhosts:\n${hosts}\n  }{\n`],
  ['comments', '# comment\n'.repeat(100_000)],
  ['colons', `${':'.repeat(300_000)}g`],
  ['spaces before a comment', `a: ${' '.repeat(300_000)}x # y`],
  ['an open quote', `pass: "${'a"'.repeat(150_000)}`],
  ['brackets in a secret', `pass: "${'}'.repeat(300_000)}`],
  ['odd signs', `${'$#%@ '.repeat(60_000)}\n}{`],
  ['one long word', `${'a'.repeat(300_000)}:g\n}{`],
  ['secrets, broken', `${'pass: x\n'.repeat(10_000)}}{`],
  ['names on one line', `{${Array.from({ length: 10_000 }, (_, n) => `k${n}: v${n}`).join(', ')}}`],
])('scrubs a long text of %s', (_, text) => {
  const scrubbed = scrubText(text)
  expect(scrubbed.text.match(/\n/g)?.length).toBe(text.match(/\n/g)?.length)
})
