import { type AccountStatements, accountStatements } from '../../config/reference/accountStatements.ts'
import type { Setting } from '../../config/settings/setting.ts'
import type { Explanation } from '../../diagnostics/explanation.ts'
import type { FailureExplanation } from '../../diagnostics/failures.ts'
import type { CallExplanation } from './calls.ts'
import { settingExample } from './settingFacts.ts'

const withText = <Of extends Explanation | FailureExplanation | CallExplanation>(of: Of) => ({
  ...of,
  about: of.about.join('\n\n'),
})

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

/** Writes explanations as one JSON object, `{"findings":[…],"failures":[…],"settings":[…],"calls":[…]}`. */
export function explainJson(explained: {
  readonly findings: readonly Explanation[]
  readonly failures: readonly FailureExplanation[]
  readonly settings: readonly Setting<unknown>[]
  readonly calls?: readonly CallExplanation[]
}): string {
  const { findings, failures, settings, calls = [] } = explained
  const data = {
    findings: findings.map(withText),
    failures: failures.map(withText),
    settings: settings.map(settingOf),
    ...(calls.length === 0 ? {} : { calls: calls.map(withText) }),
  }
  return `${JSON.stringify(data, null, 2)}\n`
}
