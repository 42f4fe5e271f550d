import { findingGroups } from '../../diagnostics/explanations/groups.ts'
import { explainedFinding } from '../explain/finding.ts'
import { findingMarkdown } from '../explain/findingMarkdown.ts'

const intro = `<!-- Made from src/diagnostics/explanations. To make it again:
npx vitest run --root . test/output/reference/findings.test.ts --update -->

# Findings

Everything that \`muster validate\` and its like can find, by the code that each finding carries. \`muster explain CODE\` shows the same in a terminal.

An error makes a configuration unusable. A warning does not, unless \`--strict\` is given. A note only says what could not be judged.
`

/** The page docs/findings.md: every code of the catalogue by group, each under a heading that is its code. */
export function findingsPage(): string {
  const contents = findingGroups.map(({ title, codes }) => {
    const links = codes.map((code) => `- [${code}](#${code}): ${explainedFinding(code).title}`)
    return `**${title}**\n\n${links.join('\n')}\n`
  })
  const sections = findingGroups
    .flatMap(({ codes }) => codes)
    .map(explainedFinding)
    .map(findingMarkdown)
  return [intro, ...contents, ...sections].join('\n')
}
