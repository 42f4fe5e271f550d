import type { StepError } from '../stepError.ts'
import { accountsCheck } from './accountsCheck.ts'
import { addressesCheck } from './addressesCheck.ts'
import { certificatesCheck } from './certificatesCheck.ts'
import { channelCheck } from './channelCheck.ts'
import type { Candidate, Check } from './checkContract.ts'
import { clockCheck } from './clockCheck.ts'
import { databaseCheck } from './databaseCheck.ts'
import { databaseTlsCheck } from './databaseTlsCheck.ts'
import { directoryCheck } from './directoryCheck.ts'
import { diskCheck } from './diskCheck.ts'
import { firewallCheck } from './firewallCheck.ts'
import { installationCheck } from './installationCheck.ts'
import { leftoversCheck } from './leftoversCheck.ts'
import { loginCheck } from './loginCheck.ts'
import { machineIdCheck } from './machineIdCheck.ts'
import { masterCheck } from './masterCheck.ts'
import { namesCheck } from './namesCheck.ts'
import { noexecCheck } from './noexecCheck.ts'
import { ownNameCheck } from './ownNameCheck.ts'
import { portsCheck } from './portsCheck.ts'
import { readOnlyCheck } from './readOnlyCheck.ts'
import { rootCheck } from './rootCheck.ts'
import { runtimeCheck } from './runtimeCheck.ts'
import { servicesCheck } from './servicesCheck.ts'
import { sessionsCheck } from './sessionsCheck.ts'
import { systemCheck } from './systemCheck.ts'

/** Every preflight check, in the order in which it is reported. */
export const checks: readonly Check[] = [
  loginCheck,
  rootCheck,
  systemCheck,
  machineIdCheck,
  servicesCheck,
  runtimeCheck,
  directoryCheck,
  installationCheck,
  leftoversCheck,
  diskCheck,
  noexecCheck,
  portsCheck,
  addressesCheck,
  firewallCheck,
  channelCheck,
  clockCheck,
  namesCheck,
  ownNameCheck,
  certificatesCheck,
  databaseCheck,
  accountsCheck,
  masterCheck,
  databaseTlsCheck,
  readOnlyCheck,
  sessionsCheck,
]

/** Checks whose problems hide those of all others, because the others would mean nothing. The first one counts. */
const exclusive: readonly Check[] = [systemCheck, installationCheck]

/** Returns the check whose problems on a host hide those of all others; undefined if there is none. */
export const exclusiveProblem = (candidate: Candidate): Check | undefined =>
  exclusive.find(({ check }) => (check?.(candidate) ?? []).length > 0)

/** Codes of which only the first problem is reported: with another login, permissions change. */
const reportedOnce = ['no-systemd', 'not-enough-rights']

/** Returns the problems for which an installation refuses a host, before anything is changed. */
export function installationProblems(candidate: Candidate): readonly StepError[] {
  const only = exclusiveProblem(candidate)
  if (only !== undefined) return only.check?.(candidate) ?? []
  const problems = checks.flatMap(({ check }) => check?.(candidate) ?? [])
  const [first] = reportedOnce.flatMap((code) => problems.filter((problem) => problem.code === code))
  return problems.filter((problem) => problem === first || !reportedOnce.includes(problem.code))
}
