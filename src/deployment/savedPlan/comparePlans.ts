import { madeAtInstall, type SavedHost, type SavedPlan, type SavedStep } from './savedPlan.ts'

/** Lines of one step that are told at most. */
const mostLines = 6

/** A host that is not any more what a plan was made for, and how; `moved` false: it is, and as much is to be done. */
export type HostChange = {
  readonly host: string
  readonly moved: readonly string[]
  readonly touched: boolean
}

/**
 * What became of each host since a plan was saved: `now` is the plan that is made today of the same file. A
 * host has moved when another machine answers, or a step would do something else; when it was changed and as
 * much is to be done there, it was touched only.
 */
export function comparePlans(saved: SavedPlan, now: SavedPlan): readonly HostChange[] {
  return now.hosts.flatMap((is): HostChange[] => {
    const was = saved.hosts.find(({ host }) => host === is.host)
    if (was === undefined) return []
    return [{ host: is.host, moved: movesOf(was, is), touched: was.facts !== is.facts }]
  })
}

function movesOf(was: SavedHost, is: SavedHost): readonly string[] {
  if (was.machine !== is.machine) return [`another machine answers at ${is.address}`]
  const before = new Map(was.steps.map((step) => [step.id, step]))
  const after = new Map(is.steps.map((step) => [step.id, step]))
  const vanished = was.steps.flatMap(({ id, summary }) =>
    after.has(id) ? [] : [`no longer needed: ${summary}`],
  )
  const others = is.steps.flatMap((step): readonly string[] => {
    const planned = before.get(step.id)
    return planned === undefined ? [`new: ${step.summary}`] : differencesOf(planned, step)
  })
  const moves = [...vanished, ...others]
  return moves.length > 0 ? moves : contentsOf(was, is)
}

function differencesOf(was: SavedStep, is: SavedStep): readonly string[] {
  const gone = was.details.filter((line) => !is.details.includes(line)).map((line) => `  - ${line}`)
  const come = is.details.filter((line) => !was.details.includes(line)).map((line) => `  + ${line}`)
  const lines = [...gone, ...come]
  const shown = lines.slice(0, mostLines)
  const rest = lines.length > mostLines ? [`  and ${lines.length - mostLines} lines more`] : []
  if (was.summary !== is.summary) return [`otherwise: ${is.summary}, not ${was.summary}`, ...shown, ...rest]
  return lines.length === 0 ? [] : [`otherwise: ${is.summary}`, ...shown, ...rest]
}

/** Files whose difference is told by the same line, but which would get other content than planned. */
function contentsOf(was: SavedHost, is: SavedHost): readonly string[] {
  return Object.entries(is.files).flatMap(([path, content]) => {
    const planned = was.files[path]
    // What was to be made may have been made by a run that got no further.
    if (planned === content || planned === madeAtInstall) return []
    return [
      `otherwise: ${path} would be ${content === madeAtInstall ? 'made anew' : 'another file than planned'}`,
    ]
  })
}
