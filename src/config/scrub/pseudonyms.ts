/** What a name stands for; each kind is counted on its own. */
export type PseudonymKind =
  | 'address4'
  | 'address6'
  | 'anchor'
  | 'argument'
  | 'cluster'
  | 'digits'
  | 'file'
  | 'fingerprint'
  | 'host'
  | 'key'
  | 'path'
  | 'secret'
  | 'service'
  | 'tag'
  | 'text'
  | 'user'
  | 'variable'
  | 'weak'
  | 'word'
  | 'wrong4'
  /** How one host's name is written: capital and small letters do not make another host. */
  | `spelling of ${string}`

/** Numbers for private names: the same name always gets the same number, and no other name gets it. */
export type Pseudonyms = {
  /** From 1, in the order in which names of this kind are first asked for. */
  readonly number: (kind: PseudonymKind, name: string) => number
  /** The number a name has already. */
  readonly known: (kind: PseudonymKind, name: string) => number | undefined
  /** How many names of this kind have one. */
  readonly count: (kind: PseudonymKind) => number
}

/** Counts on from `base`, or from nothing; `base` learns of nothing until `keep` is called. */
export function pseudonyms(base?: Pseudonyms): Pseudonyms & { readonly keep: () => void } {
  const numbers = new Map<PseudonymKind, Map<string, number>>()
  const known = (kind: PseudonymKind, name: string): number | undefined =>
    base?.known(kind, name) ?? numbers.get(kind)?.get(name)
  const count = (kind: PseudonymKind): number => (base?.count(kind) ?? 0) + (numbers.get(kind)?.size ?? 0)
  return {
    known,
    count,
    number: (kind, name) => {
      const number = known(kind, name) ?? count(kind) + 1
      if (number > count(kind)) {
        const names = numbers.get(kind) ?? new Map<string, number>()
        numbers.set(kind, names.set(name, number))
      }
      return number
    },
    keep: () => {
      for (const [kind, names] of numbers) for (const name of names.keys()) base?.number(kind, name)
      numbers.clear()
    },
  }
}
