import { accountStatements } from '../../config/reference/accountStatements.ts'
import type { Setting } from '../../config/settings/setting.ts'
import { findingGroups } from '../../diagnostics/codes.ts'
import { type Explanation, exampleTitles, explanationOf } from '../../diagnostics/explanation.ts'
import { explainFailureCode, type FailureExplanation, failureCodes } from '../../diagnostics/failures.ts'
import type { CallExplanation } from './calls.ts'
import { settingExample, settingFacts } from './settingFacts.ts'
import { type Section, sectionRows, settingGroups } from './settings.ts'

const severityWords = { error: 'Error', warning: 'Warning', note: 'Note' } as const

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

/** Writes the section of a finding; its heading is the code alone, so that `#code` links to it. */
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

/** Writes the section of a failure. */
export const failureMarkdown = ({ code, title, about }: FailureExplanation): string =>
  `${[`## ${code}`, `**Failure.** ${title}`, ...about].join('\n\n')}\n`

/** Writes the section of a call of the APIs. */
export const callMarkdown = ({ path, title, about }: CallExplanation): string =>
  `${[`## ${path}`, `**Call.** ${title}`, ...about].join('\n\n')}\n`

export function settingMarkdown(setting: Setting<unknown>): string {
  const facts = settingFacts(setting).map(({ label, text }) => `- ${label}: ${text}`)
  const blocks = [
    `## ${setting.name}`,
    setting.documentation,
    facts.join('\n'),
    `\`\`\`yaml\n${settingExample(setting)}\n\`\`\``,
    ...accountStatements(setting).map(({ title, sql }) => `${title}:\n\n\`\`\`sql\n${sql}\`\`\``),
  ]
  return `${blocks.join('\n\n')}\n`
}

const section = (title: string, rows: readonly string[]): string => `## ${title}\n\n${rows.join('\n')}\n`

export function sectionMarkdown(of: Section): string {
  const groups = sectionRows(of).map(
    ({ title, rows }) =>
      `#${section(
        title,
        rows.map(({ name, text }) => `- \`${name}\`: ${text}`),
      )}`,
  )
  return [`## ${of.name}\n\n${of.documentation}\n`, ...groups].join('\n')
}

/** Lists every finding, failure and setting by group. */
export function listMarkdown(): string {
  const findings = findingGroups.map(({ title, codes }) => {
    const rows = codes
      .map(explanationOf)
      .map(({ code, severity, title: text }) => `- \`${code}\` (${severity}): ${text}`)
    return section(title, rows)
  })
  const settings = settingGroups.map(({ title, settings: of }) =>
    section(
      title,
      of.map(({ name, documentation }) => `- \`${name}\`: ${documentation}`),
    ),
  )
  const failures = failureCodes.map(explainFailureCode).map(({ code, title }) => `- \`${code}\`: ${title}`)
  return [
    '# Findings\n',
    ...findings,
    '# Failures\n',
    `${failures.join('\n')}\n`,
    '# Settings\n',
    ...settings,
  ].join('\n')
}
