import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ansibleOperator, renderedOperator, shortLog, withoutAnsible } from './ansible.ts'
import { differences, endStateOf, loginsOf } from './endState.ts'
import { type BenchHosts, fetchTrees, password, wipe } from './hosts.ts'

const noOps = 5
const inSeconds = (milliseconds: number): number => Math.round(milliseconds / 10) / 100
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/**
 * The same end state on the same hosts: by muster, by Ansible with a short playbook and the very files that muster
 * made, and by Ansible with the role of `muster render ansible`. Of each the first installation and the run that
 * changes nothing. The log of the short playbook is `log`.
 */
export async function againstAnsible(
  bench: BenchHosts,
): Promise<{ readonly figures: object; readonly log: string }> {
  const missing = withoutAnsible()
  if (missing !== undefined) return { figures: { skipped: missing }, log: '' }
  const { hosts, operator, lab } = bench
  const ca = () => readFileSync(join(operator.directory, '.muster/alpha/authority.crt'))
  const musterInstall = await bench.install()
  const musterNoOps: number[] = []
  for (let round = 0; round < noOps; round += 1) musterNoOps.push(await bench.installAgain())
  const byMuster = await Promise.all(hosts.map(endStateOf))
  const musterLogins = await loginsOf(hosts, ca(), password)
  const source = join(lab.directory, 'source')
  mkdirSync(source)
  await fetchTrees(bench, source)
  await wipe(bench)

  const ansible = await ansibleOperator(bench, join(lab.directory, 'ansible'), source)
  const first = await ansible.play()
  const again = await ansible.play()
  const changed = /changed=[1-9]/.test(again.log)
  const byAnsible = await Promise.all(hosts.map(endStateOf))
  const ansibleLogins = await loginsOf(hosts, ca(), password)
  const differing = hosts.flatMap(({ name }, index) =>
    differences(byMuster[index] ?? [], byAnsible[index] ?? []).map((line) => `${name} ${line}`),
  )
  await wipe(bench)

  const role = await renderedOperator(bench)
  const roleFirst = await role.play()
  const roleAgain = await role.play()
  const byRole = await Promise.all(hosts.map(endStateOf))
  const roleLogins = await loginsOf(hosts, ca(), password)
  const roleDiffering = hosts.flatMap(({ name }, index) =>
    differences(byMuster[index] ?? [], byRole[index] ?? []).map((line) => `${name} ${line}`),
  )
  await wipe(bench)
  return {
    figures: {
      renderedRole: {
        ratio: {
          installation: Math.round((roleFirst.took / musterInstall) * 10) / 10,
          noOp: Math.round((roleAgain.took / median(musterNoOps)) * 10) / 10,
        },
        seconds: { installation: inSeconds(roleFirst.took), noOp: inSeconds(roleAgain.took) },
        differing: roleDiffering,
        logins: roleLogins,
        ...(/changed=[1-9]/.test(roleAgain.log)
          ? { wrong: 'the second run of the role changed something' }
          : {}),
      },
      installation: {
        ratio: Math.round((first.took / musterInstall) * 10) / 10,
        limit: 'at least 5',
        seconds: { muster: inSeconds(musterInstall), ansible: inSeconds(first.took) },
      },
      noOp: {
        ratio: Math.round((again.took / median(musterNoOps)) * 10) / 10,
        limit: 'at least 25',
        seconds: { muster: musterNoOps.map(inSeconds), ansible: inSeconds(again.took) },
        ...(changed ? { wrong: 'the second run of Ansible changed something' } : {}),
      },
      sameEndState: {
        compared: byMuster.reduce((sum, entries) => sum + entries.length, 0),
        differing,
        logins: { muster: musterLogins, ansible: ansibleLogins },
      },
    },
    log: `First run\n\n${shortLog(first.log)}\nSecond run\n\n${shortLog(again.log)}`,
  }
}
