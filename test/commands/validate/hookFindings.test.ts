import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hookFindings } from '../../../src/commands/validate/hookFindings.ts'
import { loadConfig } from '../../../src/config/load.ts'
import type { SecretPolicy } from '../../../src/secrets/policy.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

/** Finds problems of the program `program` as before-run, beside which a folder has `ready.sh` and `plain.sh`. */
function findings(program: string, policy: SecretPolicy = 'all') {
  const directory = temporaryFolder()
  for (const [name, mode] of [
    ['ready.sh', 0o755],
    ['plain.sh', 0o644],
    ['open.sh', 0o777],
  ] as const) {
    writeFileSync(join(directory, name), '#!/bin/sh\n')
    chmodSync(join(directory, name), mode)
  }
  symlinkSync('/etc', join(directory, 'etc'))
  const text = `cluster: alpha
services: { alpha: { topology: clustered, master: db1, members: [db1] } }
hosts: { db1: { address: 10.0.0.1 } }
hooks:
  before-run: !exec ['${program}', begin]
`
  const { cluster } = loadConfig({ files: [{ name: 'a.yaml', directory, text }], home: '/home/ops' })
  if (cluster === undefined) throw new Error('the file must be right')
  return hookFindings(cluster, { context: { env: { PATH: '/usr/bin:/bin' } }, policy })
}

describe.skipIf(process.platform !== 'linux')('the programs of hooks (needs Linux)', () => {
  it('are looked for beside the file and in the folders of PATH', () => {
    for (const program of ['./ready.sh', 'sh', '/bin/sh']) expect(findings(program), program).toEqual([])
  })

  it.each([
    ['./plain.sh', 'is not executable'],
    ['./missing.sh', 'does not exist'],
    ['./open.sh', 'can change'],
    ['muster-has-no-such-program', 'is in no folder of PATH'],
  ])('are reported where a run would refuse them: %s %s', (program, problem) => {
    const [finding, ...more] = findings(program)
    expect(finding).toMatchObject({ code: 'hook-not-runnable', span: { line: 5 } })
    expect(JSON.stringify(finding)).toContain(problem)
    expect(more).toEqual([])
  })

  it('of a stranger’s file are not looked for outside its folder', () => {
    expect(findings('./missing.sh', 'safe')).toHaveLength(1)
    for (const program of ['/root/missing', '../missing', 'missing']) {
      expect(findings(program, 'safe'), program).toEqual([])
    }
    for (const program of ['./etc/passwd', './etc/missing', './etc/passwd/x']) {
      expect(findings(program), program).toHaveLength(1)
      expect(findings(program, 'safe'), program).toEqual([])
    }
  })
})
