import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HostPlan } from '../../../src/deployment/hostPlan.ts'
import { change, creation, deletion } from '../../../src/deployment/step.ts'
import { planMarkdown } from '../../../src/output/deployment/planMarkdown.ts'

const hasCmark = spawnSync('cmark-gfm', ['--version']).error === undefined

const step = {
  id: 'settings',
  title: 'write settings',
  phase: 'commit' as const,
  check: () => undefined,
  apply: async () => {},
}
const planOf = (host: string, ...changes: ReturnType<typeof change>[]): HostPlan => ({
  host,
  address: '10.0.0.11',
  steps: changes.map((one) => ({ step, change: one })),
})
const write = (plans: readonly HostPlan[], more: Partial<Parameters<typeof planMarkdown>[0]> = {}): string =>
  planMarkdown({ cluster: 'alpha', notes: [], plans, excluded: [], ...more })

/** The HTML that GitHub makes, before it looks for mentions outside of code. */
function render(markdown: string): string {
  const extensions = ['table', 'autolink', 'strikethrough', 'tasklist'].flatMap((name) => ['-e', name])
  const { stdout } = spawnSync('cmark-gfm', ['--unsafe', ...extensions], {
    input: markdown,
    encoding: 'utf8',
  })
  return stdout
}

/** What is left of the HTML without code and its text: only elements and words of ours. */
const outsideCode = (html: string): string => html.replace(/<code\b[^>]*>[^<]*<\/code>/g, '[code]')

describe('a plan as Markdown', () => {
  it('has a table of the hosts, and their steps folded', () => {
    const settings = change('write settings', ['manager: log-level: info → debug'])
    expect(
      write(
        [
          planOf('db1', settings, creation('create /opt/muster'), deletion('remove x')),
          planOf('db2', settings),
          { ...planOf('db3', settings), address: '10.0.0.13' },
          planOf('db4'),
        ],
        { notes: ['make the certificate authority'], excluded: ['db5'] },
      ),
    ).toMatchInlineSnapshot(`
      "**Plan: 1 to add, 3 to change, 1 to remove on 3 hosts** in \`alpha\`

      | hosts | add | change | remove |
      |---|---|---|---|
      | \`db1\` | 1 | 1 | 1 |
      | \`db2\` and \`db3\` | 0 | 1 | 0 |

      \`\`\`text
      make the certificate authority
      \`\`\`

      <details><summary><code>db1 (10.0.0.11)</code></summary>

      \`\`\`diff
      ! write settings
          manager: log-level: info → debug
      + create /opt/muster
      - remove x
      \`\`\`

      </details>

      <details><summary><code>db2 (10.0.0.11) and db3</code>: the same</summary>

      \`\`\`diff
      ! write settings
          manager: log-level: info → debug
      \`\`\`

      </details>

      Nothing to do: \`db4\`

      Not selected: \`db5\`
      "
    `)
  })

  it('says where nothing is to do', () => {
    expect(write([planOf('db1'), planOf('db2')])).toBe('**Plan for `alpha`: nothing to do on 2 hosts**\n')
  })

  it('says that clients of a connector have to finish, as the plan for a terminal does', () => {
    const restart = { ...change('restart connector'), drains: 60_000 }
    expect(write([planOf('db1', restart)])).toContain(
      '\nrestart the connector of db1; its clients have 60 s to finish\n',
    )
  })

  it('writes 5,000 equal hosts once', () => {
    const hosts = Array.from({ length: 5000 }, (_, index) => planOf(`db${index}`, change('write settings')))
    const text = write(hosts)
    expect(text).toContain('`db11` and 4988 more')
    expect(text.length).toBeLessThan(1500)
  })

  it.each([
    [
      'hosts that all differ',
      Array.from({ length: 2000 }, (_, at) => planOf(`db${at}`, change(`do ${at}x`, ['y'.repeat(90)]))),
    ],
    [
      'one diff of 100,000 lines',
      [
        planOf(
          'db1',
          change(
            'write',
            Array.from({ length: 1e5 }, (_, at) => `line ${at}`),
          ),
        ),
      ],
    ],
    [
      'lines of 100 KB',
      [
        planOf(
          'db1',
          change(
            'write',
            Array.from({ length: 300 }, () => '`'.repeat(1e5)),
          ),
        ),
      ],
    ],
    [
      'long names',
      Array.from({ length: 2000 }, (_, at) => planOf(`${'h'.repeat(240)}${at}`, change(`do ${at}x`))),
    ],
    [
      'many groups of hosts with long names',
      Array.from({ length: 101 * 13 }, (_, at) => planOf(`${'h'.repeat(70)}${at}`, change(`do ${at % 101}`))),
    ],
    [
      'escapes in every name',
      Array.from({ length: 500 }, (_, at) => planOf(`${'\u202e'.repeat(400)}${at}`, change(`do ${at % 20}`))),
    ],
  ])('fits into a comment of GitHub with %s, and counts what is left out', (_, plans) => {
    const text = write(plans, { notes: Array.from({ length: 3000 }, (_, at) => `note ${at}`) })
    expect(text.length).toBeLessThanOrEqual(65_536)
    expect(text).toMatch(/\d+ more (line|host)s/)
    expect(text.split('<details>').length).toBe(text.split('</details>').length)
  })

  const hostile = [
    '@octo-org/admins',
    '#1 !2 GH-3 https://evil.example www.evil.example a@b.example',
    '[click](javascript:alert(1)) ![x](https://evil.example/p.png)',
    '<img src=x onerror=alert(1)> <!-- ',
    '</code></summary></details></pre><script>alert(1)</script>',
    '```\n# heading\n~~~',
    '`` ` ``` ```` |a|b|\n\n---\n* x',
    '\\` \\| &lt;b&gt; &#64;team \u202e\u001b[31m :tada:',
    '\r\n\r\n<b>x</b>',
    '\\',
    ' ',
  ]
  const attack = fc
    .array(
      fc.oneof(
        fc.constantFrom(...hostile),
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom('`', '\n', '|', '<', '@'),
      ),
      { minLength: 1, maxLength: 6 },
    )
    .map((parts) => parts.join(''))

  it.skipIf(!hasCmark)('leaves text of others as code, whatever is in it', () => {
    fc.assert(
      fc.property(attack, attack, attack, (one, other, third) => {
        const plans = [
          planOf(one, change(other, [third, other])),
          planOf(`${other}x`, creation(third)),
          planOf(third),
        ]
        const text = write(plans, { cluster: one, notes: [third, other], excluded: [other] })
        const around = outsideCode(render(text))
        expect(
          around.replaceAll(
            /<\/?(p|strong|table|thead|tbody|tr|th|td|details|summary|pre|code)( align="\w+")?>|\[code\]/g,
            '',
          ),
        ).toMatch(/^[\s\w:,;.()]*$/)
        expect(around).not.toMatch(/octo|evil|alert|heading|tada|team/)
        expect(text).not.toMatch(/[\u202e\r]/)
      }),
      { numRuns: 60 },
    )
  })
})
