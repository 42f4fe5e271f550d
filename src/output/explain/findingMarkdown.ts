import { paragraphsOf } from '../../diagnostics/explanations/explanation.ts'
import { type ExplainedFinding, exampleTitles } from './finding.ts'

const severityWords = { error: 'Error', warning: 'Warning', note: 'Note' } as const

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

/** The section of a finding; its heading is the code alone, so that `#code` leads there. */
export function findingMarkdown(finding: ExplainedFinding): string {
  const { code, severity, title, bad, good, commands, language = 'yaml' } = finding
  const titles = exampleTitles(finding)
  const blocks = [
    `## ${code}`,
    `**${severityWords[severity]}.** ${title}.`,
    ...paragraphsOf(finding),
    ...(bad === undefined || good === undefined
      ? []
      : [`${titles.bad}:`, fenced(language, bad), `${titles.good}:`, fenced(language, good)]),
    ...(commands === undefined ? [] : ['Commands:', fenced('sh', commands)]),
  ]
  return `${blocks.join('\n\n')}\n`
}
