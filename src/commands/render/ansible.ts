import { dirname, join, resolve } from 'node:path'
import { printable } from '../../base/printable.ts'
import { quote } from '../../base/shellWords.ts'
import { shortListOf } from '../../base/words.ts'
import type { Define } from '../../cli/command.ts'
import type { CommandContext } from '../../cli/context.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { isExecutable } from '../../cli/readInputFile.ts'
import { fromFile } from '../../cli/readPassword.ts'
import { UsageError } from '../../cli/usageError.ts'
import { existingPaths, notWritten, writeNewFiles } from '../../cli/writeNewFiles.ts'
import type { HostConfig } from '../../config/model.ts'
import { readAnsibleFiles } from '../../deployment/serverProgram.ts'
import { groupBy } from '../../diagnostics/groupBy.ts'
import { ansibleProject } from '../../output/ansible/ansibleProject.ts'
import { sealVault } from '../../output/ansible/vault.ts'
import type { Secret } from '../../secrets/secret.ts'
import { namesIn, noteLeftovers } from '../../session/render/leftovers.ts'
import { renderCluster } from '../../session/render/renderCluster.ts'
import { namesOf } from '../../session/selectTargets.ts'
import { type EngineOptions, renderDefinition } from './renderOptions.ts'

export const renderAnsibleCommand: Define = (made, world) =>
  renderDefinition(
    made.option(
      '--vault-password-file <path>',
      'file with the password of Ansible Vault that seals all secrets',
    ),
    world,
    (options) => {
      const { vaultPasswordFile } = made.opts<{ vaultPasswordFile?: string }>()
      return renderAnsible({ ...options, vaultPasswordFile })
    },
  )

type AnsibleOptions = EngineOptions & { readonly vaultPasswordFile: string | undefined }

async function renderAnsible(options: AnsibleOptions): Promise<ExitCode> {
  const { context, out, folder, force, vaultPasswordFile } = options
  const password = await vaultPassword(context, vaultPasswordFile)
  const common = await readAnsibleFiles(context.packageDirectory)
  const { files, config } = await renderCluster(options, async (rendered) => {
    refuseNames(rendered.config.hosts)
    const { cluster } = rendered.config
    const seal = (plain: Buffer): string => sealVault(plain, password)
    const made = ansibleProject({ ...rendered, cluster, replaced: options.replaced, common, seal })
    const files = made.map(({ path, content }) => ({ path: join(folder, path), text: content, mode: 0o644 }))
    const there = force ? [] : await existingPaths(files.map(({ path }) => path))
    if (there.length > 0) throw notWritten('exists', { files: there })
    return { files, config: rendered.config }
  })
  for (const together of groupBy(files, ({ path }) => dirname(path))) {
    const failed = await writeNewFiles(together, { force, folder: dirname(together[0].path) })
    if (failed !== undefined)
      throw notWritten(failed.outcome, { files: failed.files.map(({ path }) => path) })
  }
  if (config.excluded.length === 0) {
    noteLeftovers(
      context,
      (await leftovers(folder, namesOf(config.hosts))).map((path) => join(out, path)),
    )
  }
  context.stdout.write(`wrote ${out}: a project for Ansible. To see what it would change:
  cd ${quote(out)}
  ansible-playbook -i inventory.yaml --ask-vault-pass --check --diff site.yaml
`)
  return exitCodes.ok
}

/** Returns folders of other hosts that have a sealed file such as those that muster writes. */
async function leftovers(folder: string, hosts: readonly string[]): Promise<readonly string[]> {
  const others = (await namesIn(join(folder, 'host_vars'))).filter((name) => !hosts.includes(name))
  const found: string[] = []
  for (const name of others) {
    const folders = [join('host_vars', name), join('files', name)]
    const there = await existingPaths([
      join(folder, 'host_vars', name, 'vault.yaml'),
      join(folder, 'files', name),
    ])
    if (there.length === folders.length) found.push(...folders)
  }
  return found
}

/** Groups of every inventory. A play for `muster` would reach the host of that name alone. */
const groups: readonly string[] = ['all', 'ungrouped', 'muster']

/** Refuses hosts that would be a pattern or a group in an inventory, or no folder of their own. */
function refuseNames(hosts: readonly HostConfig[]): void {
  const names = hosts.map(({ name }) => name)
  const bad = names.filter((name) => groups.includes(name) || !/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name))
  if (bad.length === 0) return
  throw new UsageError(
    `Ansible cannot have hosts with the names ${shortListOf(bad.map((name) => printable(name)))}.`,
    `Use letters, digits, dots, hyphens and underscores in the names of hosts, and none of the groups ${shortListOf(groups)}.`,
  )
}

async function vaultPassword(context: CommandContext, file: string | undefined): Promise<Secret> {
  if (file === undefined) {
    throw new UsageError(
      'The project holds keys and passwords, and there is no password to seal them with.',
      'Write the password of your vault to a file: --vault-password-file FILE',
    )
  }
  const what = 'the password of the vault'
  if (await isExecutable(resolve(context.cwd, file))) {
    throw new UsageError(
      `${file} is executable: Ansible would run it instead of reading it, and muster runs no programs for a vault.`,
      `Pass a file with the password that the program prints. If it holds the password itself: chmod 600 ${quote(file)}`,
    )
  }
  const password = await fromFile({ context, what }, file)
  // Ansible takes white space away, and has no vault with an empty password.
  if (password.reveal().trim() !== '') return password
  throw new UsageError(
    `The password of the vault is empty in ${file}: Ansible ignores the white space around it.`,
    'Write the password there, on one line.',
  )
}
