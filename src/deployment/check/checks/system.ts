import { judgeSystem } from '../../judge/system.ts'
import { isRuntimeSent } from '../../runtime/choose.ts'
import { pinnedRuntime } from '../../runtime/pinned.ts'
import type { Check, Subject } from '../subject.ts'
import { failure, failures, ok, type Verdict } from '../verdict.ts'

/** The oldest GNU C library that Node.js's own binaries run on (Node.js, BUILDING.md, "Platform list"). */
const oldestGlibc = [2, 28] as const

/** Operating system, processor, and the C library that a Node.js which is sent needs. */
export const system: Check = {
  id: 'system',
  judge: (subject) => {
    const { os, kernel, machine } = subject.facts
    const name = [os || kernel, machine, subject.seen.libc].filter((word) => word !== undefined).join(', ')
    return failures(judgeSystem(subject.host, subject.facts), judgeLibrary(subject) ?? ok(name))
  },
}

function judgeLibrary({ host, facts, seen }: Subject): readonly Verdict[] | undefined {
  if (seen.libc === undefined || !isRuntimeSent(host, facts)) return undefined
  const [, major, minor] = /^glibc (\d+)\.(\d+)/.exec(seen.libc)?.map(Number) ?? []
  const fits =
    major !== undefined &&
    minor !== undefined &&
    (major > oldestGlibc[0] || (major === oldestGlibc[0] && minor >= oldestGlibc[1]))
  if (fits) return undefined
  return failure(
    `its C library is ${seen.libc}, and the Node.js ${pinnedRuntime.version} that is sent there needs glibc ${oldestGlibc.join('.')} or newer`,
    "Install a maintained Node.js from the distribution's own packages there, and leave runtime at auto.",
  )
}
