import { accountStatements } from '../../config/reference/accountStatements.ts'
import type { Setting } from '../../config/settings/setting.ts'
import { settingExample, settingFacts } from './settingFacts.ts'

/** The section of a setting. */
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
