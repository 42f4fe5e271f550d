import type { Completes } from './completes.ts'
import { allCommands, type CompletedCommand } from './model.ts'

/** Everything that a script has to know of where the cursor can be. */
export type Places = {
  /** Paths of the commands below the program. */
  readonly commands: readonly string[]
  /** Options whose value is the next word, as `muster validate --format`. */
  readonly values: readonly { readonly place: string; readonly completes: Completes }[]
}

/** The places of a program, each told apart by the words that lead to it. */
export function placesOf(program: CompletedCommand): Places {
  const all = allCommands(program)
  return {
    commands: all.filter((one) => one !== program).map(({ path }) => path),
    values: all.flatMap(({ path, options }) =>
      options.flatMap(({ flags, value }) =>
        value === undefined ? [] : flags.map((flag) => ({ place: `${path} ${flag}`, completes: value })),
      ),
    ),
  }
}
