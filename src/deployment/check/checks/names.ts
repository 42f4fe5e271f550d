import { canonicalAddress, isLoopback } from '../../../base/address.ts'
import { listOf } from '../../../base/words.ts'
import { addressedNames, dialledNames } from '../names.ts'
import type { Check, Subject, Surroundings } from '../subject.ts'
import { failure, ok, type Verdict, warning } from '../verdict.ts'

/** What the names of the other hosts mean on this one: its own is judged by `own-name`. */
export const names: Check = {
  id: 'names',
  judge: (subject, around) => {
    const own = [subject.host.name, subject.host.address]
    const dialled = dialledNames(around.config, subject.host).filter((name) => !own.includes(name))
    const addressed = [...addressedNames(around.config)].filter(([name]) => !own.includes(name))
    const told = [
      ...dialled.flatMap((name) => judgeDialled(name, subject, around)),
      ...addressed.flatMap(([name, address]) =>
        dialled.includes(name) ? [] : judgeAddressed(name, address, subject),
      ),
    ]
    if (told.length > 0) return told
    return ok(
      dialled.length === 0 ? 'the file reaches all hosts at addresses' : `${listOf(dialled)} are known`,
    )
  },
}

const fix = (name: string): string =>
  `Correct ${name} in /etc/hosts or in the name service there, or write IP addresses in the file.`

function judgeDialled(name: string, { host, seen }: Subject, around: Surroundings): readonly Verdict[] {
  const here = seen.resolved.get(name)
  if (here === undefined) return []
  if (here.length === 0) {
    return failure(`it does not know the name ${name}, which its components have to reach`, fix(name))
  }
  if (here.some(isLoopback) && name !== host.database?.host) {
    return failure(`${name}, which is another host, means ${listOf(here)} there: the host itself`, fix(name))
  }
  const elsewhere = around.subjects.find(
    ({ seen: there, host: other }) =>
      other.name !== host.name &&
      meansOther(
        here,
        (there.resolved.get(name) ?? []).filter((one) => !isLoopback(one)),
      ),
  )
  if (elsewhere === undefined) return []
  const there = listOf(elsewhere.seen.resolved.get(name) ?? [])
  return warning(`${name} means ${listOf(here)} there, and ${there} on ${elsewhere.host.name}`, fix(name))
}

function judgeAddressed(name: string, address: string, { seen }: Subject): readonly Verdict[] {
  const here = seen.resolved.get(name) ?? []
  if (!meansOther(here, [address])) return []
  return warning(`${name} means ${listOf(here)} there, and the file has it at ${address}`, fix(name))
}

/** Whether both mean something, and nothing in common. */
function meansOther(one: readonly string[], other: readonly string[]): boolean {
  const known = new Set(one.map((address) => canonicalAddress(address)))
  return one.length > 0 && other.length > 0 && !other.some((address) => known.has(canonicalAddress(address)))
}
