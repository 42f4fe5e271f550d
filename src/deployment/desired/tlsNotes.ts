import { shortListOf } from '../../base/words.ts'
import { type StoreProblem, tellStoreProblem } from '../../certificates/storeProblem.ts'

/** What there is to say of the stores of one host, before it is known how many others it is true of. */
export type TlsNote = { readonly host: string } & (
  | {
      /** Why its present certificate serves no longer; empty where it has none. */
      readonly issued: string
    }
  | { readonly warning: StoreProblem }
)

/** Hosts that one note names at most. */
const most = 8

/** The notes of all hosts, each once with the hosts that it is true of. */
export function tlsNotes(notes: readonly TlsNote[]): readonly string[] {
  const groups = new Map<string, readonly TlsNote[]>()
  for (const note of notes) {
    const { host: _, ...about } = note
    const key = JSON.stringify(about)
    groups.set(key, [...(groups.get(key) ?? []), note])
  }
  return [...groups.values()].flatMap((same) => {
    const [note] = same
    if (note === undefined) return []
    const hosts = same.map(({ host }) => host)
    if ('warning' in note) {
      const { message, fix } = tellStoreProblem(note.warning, hosts)
      return `${message} ${fix}`
    }
    const one = hosts.length === 1
    const what = one ? 'issue a certificate for' : 'issue certificates for'
    const why = note.issued === '' ? '' : `: ${one ? 'its present one' : 'each present one'} ${note.issued}`
    return `${what} ${shortListOf(hosts, most)}${why}`
  })
}
