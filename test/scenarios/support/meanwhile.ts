import type { Outcome, RunOptions } from './operator.ts'
import type { World } from './world.ts'

/**
 * Starts a second run in the middle of the first, which must tell of its steps in JSON: there the hosts hear nothing
 * of the first any more, until the second has ended or says `goOn`.
 */
export async function meanwhile(
  world: World,
  runs: {
    readonly first: (options: RunOptions) => Promise<Outcome>
    readonly second: (goOn: () => void) => Promise<Outcome>
  },
): Promise<readonly [first: Outcome, second: Outcome]> {
  let second: Promise<Outcome> | undefined
  const watch = (text: string): void => {
    if (second !== undefined || !text.includes('"step-started"')) return
    const resume = world.hosts.map(({ server }) => server.pause())
    const goOn = (): void => {
      for (const one of resume) one()
    }
    second = runs.second(goOn).finally(goOn)
  }
  const first = await runs.first({ watch })
  if (second === undefined) throw new Error(`the first run had no step: ${first.stdout}${first.stderr}`)
  return [first, await second]
}
