import { join } from 'node:path'
import { expect } from 'vitest'
import { hostOf, type Lab } from '../support/labTypes.ts'
import { trustAuthority } from './apiFromHost.ts'
import { clusterFile } from './clusterFile.ts'
import { createOperator, type Operator } from './operator.ts'

/** Installs all components on these hosts as the cluster alpha, and lets them trust its authority. */
export async function installAlpha(
  lab: Lab,
  names: readonly string[],
  password: string,
): Promise<{
  readonly operator: Operator
  /** The file of the cluster. */
  readonly file: string
}> {
  const operator = createOperator(lab, 'operator', password)
  const file = operator.write(
    'alpha.yaml',
    clusterFile(lab, { cluster: 'alpha', topology: 'clustered', hosts: names.map((name) => ({ name })) }),
  )
  const outcome = await operator.muster(['install', '--yes', file])
  expect(outcome, outcome.stderr).toMatchObject({ code: 0 })
  for (const name of names) {
    await trustAuthority(hostOf(lab, name), join(operator.directory, '.muster/alpha/authority.crt'))
  }
  return { operator, file }
}
