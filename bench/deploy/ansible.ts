import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { execute, succeed } from '../../test/lab/support/execute.ts'
import { type BenchHosts, password } from './hosts.ts'

/** The Debian package that is missing, in words; undefined where there is Ansible. */
export const withoutAnsible = (): string | undefined =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'ansible-playbook')))
    ? undefined
    : 'there is no ansible-playbook here: install the Debian package ansible-core'

/** An operator who uses Ansible, with everything at hand that muster has made for the hosts. */
export type AnsibleOperator = {
  /** Runs the playbook on all hosts: milliseconds, and what Ansible printed. */
  play(): Promise<{ readonly took: number; readonly log: string }>
}

/** `source` holds the tree of each host, as `fetchTrees` leaves it. */
export async function ansibleOperator(
  bench: BenchHosts,
  folder: string,
  source: string,
): Promise<AnsibleOperator> {
  const { hosts } = bench
  const first = join(source, hosts[0]?.name ?? '', 'opt/muster')
  const only = (name: string): string => {
    const [found, ...more] = readdirSync(join(first, name))
    if (found === undefined || more.length > 0) throw new Error(`not one entry in ${name}`)
    return found
  }
  const [runtime, release] = [only('runtimes'), only('releases')]
  await succeed('tar', ['-C', join(first, 'runtimes'), '-czf', join(source, 'runtime.tar.gz'), runtime])
  await succeed('tar', ['-C', join(first, 'releases'), '-czf', join(source, 'release.tar.gz'), release])
  const play = ansibleIn(bench, folder)
  return {
    play: () =>
      play({
        playbook: 'bench/deploy/ansible/playbook.yml',
        values: { source, runtime, release },
        env: { ADMIN_PASS: password },
      }),
  }
}

/** An operator who uses the project that muster renders, with ten forks and its own settings. */
export async function renderedOperator({ operator }: BenchHosts): Promise<AnsibleOperator> {
  const vault = operator.write('vault.pass', 'the password of the vault\n')
  const options = ['--vault-password-file', vault, '--out', 'project']
  const { code, stderr } = await operator.muster(['render', 'ansible', ...options, 'alpha.yaml'])
  if (code !== 0) throw new Error(`muster render ansible ended with ${code}:\n${stderr}`)
  const args = ['--forks', '10', '-i', 'inventory.yaml', '--vault-password-file', vault, 'site.yaml']
  return {
    play: async () => {
      const began = performance.now()
      const played = await execute('ansible-playbook', args, {
        cwd: join(operator.directory, 'project'),
        env: { PATH: process.env.PATH, HOME: operator.directory, LANG: 'C.UTF-8' },
        timeout: 1_800_000,
      })
      const took = performance.now() - began
      if (played.code !== 0)
        throw new Error(`ansible-playbook ended with ${played.code}:\n${played.stdout.slice(-6000)}`)
      return { took, log: played.stdout }
    },
  }
}

/** Runs a playbook on all hosts: milliseconds, and what Ansible printed. */
export type Play = (wish: {
  /** Below the folder of the repository. */
  readonly playbook: string
  readonly values: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
}) => Promise<{ readonly took: number; readonly log: string }>

/** Ansible with the hosts as its inventory, in a folder of its own that is not there yet. */
export function ansibleIn({ lab, hosts }: BenchHosts, folder: string): Play {
  mkdirSync(folder)
  writeFileSync(
    join(folder, 'ansible.cfg'),
    `[defaults]
inventory = inventory
forks = 50
host_key_checking = true
retry_files_enabled = false
interpreter_python = /usr/bin/python3
local_tmp = ${folder}/tmp
[ssh_connection]
pipelining = true
ssh_args = -F none -o IdentitiesOnly=yes -o UserKnownHostsFile=${lab.knownHostsPath} -o GlobalKnownHostsFile=/dev/null -o HostKeyAlgorithms=ssh-ed25519 -o ControlMaster=auto -o ControlPersist=60s
control_path_dir = ${folder}/cp
`,
  )
  const lines = hosts.map(({ name, address }) => `${name} ansible_host=${address}`)
  writeFileSync(
    join(folder, 'inventory'),
    `[all]\n${lines.join('\n')}\n[all:vars]\nansible_user=root\nansible_ssh_private_key_file=${lab.keyPath}\n`,
  )
  return async ({ playbook, values, env }) => {
    const args = [resolve(playbook)]
    for (const [name, value] of Object.entries(values)) args.push('-e', `${name}=${value}`)
    const began = performance.now()
    const { code, stdout, stderr } = await execute('ansible-playbook', args, {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        LANG: 'C.UTF-8',
        ANSIBLE_CONFIG: join(folder, 'ansible.cfg'),
        ...env,
      },
      timeout: 900_000,
    })
    const took = performance.now() - began
    if (code !== 0) throw new Error(`ansible-playbook ended with ${code}:\n${stdout.slice(-6000)}\n${stderr}`)
    return { took, log: stdout }
  }
}

/** The lines of a log that say what was done: task by task with the number of hosts, and the recap. */
export function shortLog(log: string): string {
  const lines: string[] = []
  const results = new Map<string, number>()
  const flush = (): void => {
    for (const [result, count] of results) lines.push(`  ${result}: ${count}`)
    results.clear()
  }
  for (const line of log.split('\n')) {
    const title = /^(?:TASK|RUNNING HANDLER) \[(.*?)\]/.exec(line)?.[1]
    const result = /^(ok|changed|skipping|failed): \[/.exec(line)?.[1]
    if (title !== undefined) {
      flush()
      lines.push(title)
    } else if (result !== undefined) results.set(result, (results.get(result) ?? 0) + 1)
    else if (/^db\d+ +: ok=/.test(line)) {
      flush()
      lines.push(line.trim())
    }
  }
  return `${lines.join('\n')}\n`
}
