import type { Target } from '../../src/deployment/target.ts'
import { finishedFacts } from '../../test/deployment/steps/target.ts'

/** Prints what the facts script (factsScript.ts) prints on a host with systemd that is all that the target says. */
export function printedFacts(target: Target, nonce: string): string {
  const { layout } = target
  const facts = finishedFacts(target)
  const { installation, services } = facts
  const texts: [key: string, path: string, text: string][] = [
    ['manifest', layout.manifest, installation.manifest ?? ''],
    ['chain', `${layout.tls}/chain.pem`, installation.chain ?? ''],
    ...target.components.flatMap(({ component, settingsFile, unitFile }): typeof texts => [
      [`settings-${component}`, settingsFile.path, settingsFile.content.toString()],
      [`unit-${component}`, unitFile?.path ?? '', unitFile?.content.toString() ?? ''],
    ]),
  ]
  const rows: (readonly (string | number)[])[] = [
    ['hostname', facts.hostname],
    ['machine-id', facts.machineId],
    ['uid', facts.uid],
    ['kernel', facts.kernel],
    ['machine', facts.machine],
    ['os', facts.os],
    ['login', facts.login],
    ['group', facts.group],
    ['systemd', 'yes'],
    ...facts.addresses.map((address) => ['address', address]),
    ['exists', 'yes'],
    ['current', installation.currentRelease ?? ''],
    ...[...installation.applied].map(([component, digest]) => [
      `applied-${component}`,
      layout.appliedFile(component),
      digest,
    ]),
    ...texts.flatMap(([key, path, text]) => [
      ['text', key, path],
      ...text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => [`${path}:${line}`]),
    ]),
    ['place', installation.account?.place ?? '', installation.account?.user ?? ''],
    ['users', Buffer.from(installation.users?.reveal() ?? '').toString('base64')],
    ['user-group', facts.userGroup ?? ''],
    ['writable', 'yes'],
    ['free', installation.freeBytes / 1024],
    ['noexec', 'no'],
    ...installation.releases.map(({ id, turn, node }) => ['release', id, turn, '', node, 'yes']),
    ...installation.runtimes.map((id) => ['runtime', id]),
    ...[...installation.directories].map(([path, { mode, owner }]) => [
      'directory',
      path,
      mode.toString(8),
      owner,
    ]),
    ...[...installation.files].flatMap(([path, { mode, owner, sha256 }]) => [
      ['file', path, mode.toString(8), owner],
      [`${sha256}  ${path}`],
    ]),
    ...[...services].map(([component, { state, enabled, pid = '' }]) => [
      'service',
      component,
      state,
      enabled ? 'yes' : 'no',
      pid,
    ]),
  ]
  return rows.map((row) => `${nonce}\t${row.join('\t')}\n`).join('')
}
