import { hasMariadb } from '../../test/support/mariadb.ts'
import { checkCost } from './checkCost.ts'
import { holdTime } from './holdTime.ts'

/** Measurements by name. */
const parts: Readonly<Record<string, () => Promise<unknown>>> = { hold: holdTime, checks: checkCost }

/** Measures what `parts` names, all unless told. */
export async function benchSwitch(wanted: readonly string[]): Promise<unknown> {
  if (!hasMariadb) return { skipped: 'mariadbd is not here: install the package mariadb-server' }
  const results: Record<string, unknown> = {}
  for (const [name, measure] of Object.entries(parts)) {
    if (wanted.length === 0 || wanted.includes(name)) results[name] = await measure()
  }
  return results
}
