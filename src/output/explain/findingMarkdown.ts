import { type Explanation, exampleTitles } from '../../diagnostics/explanation.ts'

const severityWords = { error: 'Error', warning: 'Warning', note: 'Note' } as const

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

/** The section of a finding; its heading is the code alone, so that `#code` leads there. */
export function findingMarkdown(finding: Explanation): string {
  const { code, severity, title, about, bad, good, commands, language = 'yaml' } = finding
  const titles = exampleTitles(severity)
  const blocks = [
    `## ${code}`,
    `**${severityWords[severity]}.** ${title}.`,
    ...about,
    ...(bad === undefined || good === undefined
      ? []
      : [`${titles.bad}:`, fenced(language, bad), `${titles.good}:`, fenced(language, good)]),
    ...(commands === undefined ? [] : ['Commands:', fenced('sh', commands)]),
  ]
  return `${blocks.join('\n\n')}\n`
}
