import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashPassword } from '../../src/accounts/passwordHash.ts'
import { parsePhc } from '../../src/accounts/phc.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { ansibleIn, shortLog, withoutAnsible } from '../deploy/ansible.ts'
import { type BenchHosts, password, wipe } from '../deploy/hosts.ts'

const rounds = 3
const limit = 'at least 10'
const passwords = ['bench-Kd83hWq0xV', 'bench-Pz62mRt5sN'] as const

const inSeconds = (milliseconds: number): number => Math.round(milliseconds / 10) / 100
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const userFile = '/opt/muster/share/users/users.json'

const newPassword = (): string => `bench-${randomBytes(12).toString('base64url')}`

/** A user file in which ops has another password, with the salt as it was. */
async function withPassword(text: string, fresh: string): Promise<string> {
  const file = JSON.parse(text) as { users: { user: string; hash: string }[] }
  for (const one of file.users) {
    const phc = one.user === 'ops' ? parsePhc(one.hash) : undefined
    if (phc !== undefined) one.hash = await hashPassword({ password: new Secret(fresh), ...phc })
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/**
 * The same users on the same hosts, by muster and by Ansible in turn, with the very files that muster made: one
 * password is changed and every login proved; then nothing is to be changed, and every login proved. The APIs know both
 * passwords from before, as they know every login that was good; what a password costs that they never saw (a scrypt in
 * each of three components of ten hosts, whoever asks) is told beside it.
 */
export async function usersAgainstAnsible(bench: BenchHosts): Promise<object> {
  const missing = withoutAnsible()
  if (missing !== undefined) return { skipped: missing }
  const { hosts, lab, operator } = bench
  const file = join(operator.directory, 'ops-pass')
  const muster = async (args: readonly string[], says: string): Promise<number> => {
    const began = performance.now()
    const { code, stdout, stderr } = await operator.muster(['users', ...args, 'alpha.yaml'])
    if (code !== 0 || !stdout.includes(says)) {
      throw new Error(`muster users ${args.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`)
    }
    return performance.now() - began
  }
  writeFileSync(file, passwords[0])
  await bench.install()
  const apply = (says: string) => muster(['apply', '--yes'], says)
  const play = ansibleIn(bench, join(lab.directory, 'ansible'))
  const filesOf = async (): Promise<readonly string[]> =>
    Promise.all(
      hosts.map(async (host) => (await host.run(`stat -c '%a %U:%G' ${userFile}; cat ${userFile}`)).stdout),
    )
  const contents: string[] = []
  for (const [index, one] of passwords.entries()) {
    writeFileSync(file, one)
    await apply('')
    const made = await filesOf()
    if (new Set(made).size > 1) throw new Error('muster wrote different user files')
    const path = join(lab.directory, `users-${index}.json`)
    writeFileSync(path, (made[0] ?? '').split('\n').slice(1).join('\n'))
    contents.push(made[0] ?? '')
  }
  const ansibleWith = (users: string, ops: string) =>
    play({
      playbook: 'bench/users/playbook.yml',
      values: { users },
      env: { ADMIN_PASS: password, OPS_PASS: ops },
    })
  const ansible = (index: number) =>
    ansibleWith(join(lab.directory, `users-${index}.json`), passwords[index] ?? '')
  // By muster, then by Ansible.
  const change: readonly [number[], number[]] = [[], []]
  const noOp: readonly [number[], number[]] = [[], []]
  const neverSeen: readonly [number[], number[]] = [[], []]
  const verify: number[] = []
  const wrong: string[] = []
  let log = ''
  for (let round = 0; round < rounds; round += 1) {
    // Where the last one left the second password, this one brings the first, and the other way round.
    writeFileSync(file, passwords[0])
    change[0].push(await apply('reset the password of ops'))
    noOp[0].push(await apply('nothing to do'))
    verify.push(await muster(['verify'], `${hosts.length * 6} logins verified`))
    const changed = await ansible(1)
    change[1].push(changed.took)
    const same = await ansible(1)
    noOp[1].push(same.took)
    log = `${shortLog(changed.log)}\n${shortLog(same.log)}`
    if (!/changed=[1-9]/.test(changed.log) || /changed=[1-9]/.test(same.log))
      wrong.push('Ansible changed otherwise')
    const after = await filesOf()
    if (after.some((one) => one !== contents[1])) wrong.push('Ansible left other files than muster')
  }
  for (let round = 0; round < rounds; round += 1) {
    writeFileSync(file, newPassword())
    neverSeen[0].push(await apply('reset the password of ops'))
    const fresh = newPassword()
    const users = join(lab.directory, `users-fresh-${round}.json`)
    writeFileSync(users, await withPassword(readFileSync(join(lab.directory, 'users-0.json'), 'utf8'), fresh))
    neverSeen[1].push((await ansibleWith(users, fresh)).took)
  }
  await wipe(bench)
  const ratio = ([ours, theirs]: readonly [readonly number[], readonly number[]]): object => ({
    ratio: Math.round((median(theirs) / median(ours)) * 10) / 10,
    limit,
    seconds: { muster: ours.map(inSeconds), ansible: theirs.map(inSeconds) },
  })
  return {
    apply: ratio(change),
    applyNothing: ratio(noOp),
    verify: { seconds: verify.map(inSeconds) },
    applyNeverSeen: ratio(neverSeen),
    ...(wrong.length > 0 ? { wrong } : {}),
    log: log.split('\n'),
  }
}
