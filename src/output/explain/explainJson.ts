import { type AccountStatements, accountStatements } from '../../config/reference/accountStatements.ts'
import type { Setting } from '../../config/settings/setting.ts'
import type { Explanation } from '../../diagnostics/explanation.ts'
import { settingExample } from './settingFacts.ts'

const findingOf = (finding: Explanation) => ({ ...finding, about: finding.about.join('\n\n') })

const settingOf = (setting: Setting<unknown>) => ({
  name: setting.name,
  scope: setting.scope,
  wants: setting.type.wants,
  ...(setting.default === undefined ? {} : { default: setting.type.write(setting.default) }),
  aliases: setting.aliases,
  secret: setting.secret,
  ...(setting.component === undefined ? {} : { component: setting.component }),
  since: setting.since,
  documentation: setting.documentation,
  example: settingExample(setting),
  ...statementsOf(setting),
})

function statementsOf(setting: Setting<unknown>): { readonly statements?: readonly AccountStatements[] } {
  const statements = accountStatements(setting)
  return statements.length === 0 ? {} : { statements }
}

/** Writes explanations as one JSON object, `{"findings":[…],"settings":[…]}`. */
export function explainJson(explained: {
  readonly findings: readonly Explanation[]
  readonly settings: readonly Setting<unknown>[]
}): string {
  const { findings, settings } = explained
  return `${JSON.stringify({ findings: findings.map(findingOf), settings: settings.map(settingOf) }, null, 2)}\n`
}
