import { basename, isAbsolute, normalize, relative, resolve, sep } from 'node:path'
import type { Silenced } from '../../config/document/applyIgnores.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'

/** Findings of a command, for machine-readable formats. */
export type Report = {
  readonly findings: readonly Diagnostic[]
  readonly silenced: readonly Silenced[]
  /** Every checked file, also without findings. */
  readonly files: readonly string[]
  /** The command; default `muster validate`. */
  readonly command?: string
  /** Warnings fail the run like errors. */
  readonly warningsFail?: true
  /** Further members of the JSON format. */
  readonly more?: Readonly<Record<string, unknown>>
}

/**
 * Shortens a file's name for reports that leave this machine: relative to the working directory, with `/`. An
 * absolute path outside of it becomes its last part.
 */
export function portableName(name: string, cwd: string): string {
  const inside = relative(cwd, resolve(cwd, name))
  const outside = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)
  const shown = outside ? (isAbsolute(name) ? basename(name) : normalize(name)) : inside
  return (shown === '' ? '.' : shown).split(sep).join('/')
}

type Replacement = { readonly path: RegExp; readonly by: string }

/** Matches a whole path, not a part of a longer one. */
const whole = (path: string, end: string): RegExp =>
  new RegExp(`(?<![\\w.~/-])${path.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}${end}`, 'g')

function replacements(names: ReadonlySet<string>, cwd: string): readonly Replacement[] {
  const absolute = [...names].filter((name) => isAbsolute(name) && name.length > 1)
  return [
    ...absolute
      .sort((a, b) => b.length - a.length)
      .map((name) => ({ path: whole(name, '(?![\\w-])'), by: portableName(name, cwd) })),
    ...(cwd.length > 1 ? [{ path: whole(cwd + sep, ''), by: '' }] : []),
  ]
}

const filesOf = ({ span, related = [] }: Diagnostic): readonly string[] =>
  [span, ...related.map((other) => other.span)].map(({ file }) => file)

/** Removes absolute paths of this machine from places and texts of a report. `cwd` is absolute. */
export function makePortable(report: Report, cwd: string): Report {
  const all = [...report.findings, ...report.silenced.map(({ finding }) => finding)]
  const pairs = replacements(new Set([...report.files, ...all.flatMap(filesOf)]), cwd)
  const words = (text: string): string =>
    pairs.reduce((sofar, { path, by }) => sofar.replace(path, () => by), text)
  const place = (span: Span): Span => ({ ...span, file: portableName(span.file, cwd) })
  const finding = (one: Diagnostic): Diagnostic => ({
    ...one,
    message: words(one.message),
    why: words(one.why),
    fix: words(one.fix),
    span: place(one.span),
    ...(one.related === undefined
      ? {}
      : {
          related: one.related.map((other) => ({ message: words(other.message), span: place(other.span) })),
        }),
  })
  return {
    ...report,
    findings: report.findings.map(finding),
    silenced: report.silenced.map((one) => ({ ...one, finding: finding(one.finding) })),
    files: report.files.map((name) => portableName(name, cwd)),
  }
}
