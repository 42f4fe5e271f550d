import { counted } from '../../base/words.ts'
import { paint } from './paint.ts'
import type { HostState, Progress } from './progress.ts'

type Named = readonly [host: string, state: HostState]

const marks: Readonly<Record<HostState['kind'], string>> = {
  waiting: '·',
  working: '›',
  ended: '✔',
  failed: '✖',
}

/**
 * A run in at most `most` lines, at least three: a headline, then every host; where they are too many, those
 * that failed and those at work, and how many more there are.
 */
export function progressLines(
  { hosts, verb, wave, stopping }: Progress,
  options: { readonly most: number; readonly colour: boolean },
): readonly string[] {
  const { dim, green, red, yellow } = paint(options.colour)
  const all = [...hosts]
  const of = (kind: HostState['kind']): readonly Named[] => all.filter(([, state]) => state.kind === kind)
  const width = Math.max(0, ...all.map(([host]) => host.length))
  const tint: Readonly<Record<HostState['kind'], (text: string) => string>> = {
    waiting: dim,
    working: (text) => text,
    ended: green,
    failed: red,
  }
  const line = ([host, { kind, text }]: Named): string =>
    tint[kind](`${marks[kind]} ${host.padEnd(width)}  ${text}`)
  const failed = of('failed')
  const head = [
    // A narrow terminal cuts the end off, and this nobody may miss.
    ...(stopping ? [yellow('stopping after these steps (Ctrl-C again: at once)')] : []),
    `${of('ended').length} of ${counted(all.length, 'host')} ${verb}`,
    ...(failed.length > 0 ? [red(`${failed.length} failed`)] : []),
    ...(wave === '' ? [] : [wave]),
  ].join(', ')
  const room = Math.max(2, options.most - 1)
  if (all.length <= room) return [head, ...all.map(line)]
  // What failed stays to be seen, and leaves room for what is at work.
  const forFailed = Math.min(failed.length, Math.max(1, Math.floor(room / 2)))
  const forWorking = room - forFailed
  return [
    head,
    ...shortened(of('working'), forWorking, 'at work', line, dim),
    ...shortened(failed, forFailed, 'failed', line, red),
  ]
}

/** At most so many lines, the last of which counts the rest. */
function shortened(
  named: readonly Named[],
  most: number,
  what: string,
  line: (one: Named) => string,
  tint: (text: string) => string,
): readonly string[] {
  if (named.length <= most) return named.map(line)
  const shown = named.slice(0, most - 1)
  return [...shown.map(line), tint(`  and ${named.length - shown.length} more ${what}`)]
}
