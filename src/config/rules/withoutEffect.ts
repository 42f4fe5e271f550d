import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import type { ResolvedCluster, ResolvedHost } from '../resolve/resolved.ts'

const optionWithoutEffect = finding(
  'option-without-effect',
  (facts: { name: string; host: string; component: string }) => ({
    message: `${facts.name} has no effect: ${facts.host} runs no ${facts.component}.`,
    why: 'The option is for a component that does not run on this host.',
    fix:
      facts.component === 'connector'
        ? 'Remove it, or add the host to the connectors of a service.'
        : 'Remove it, or add the host to the members of a service.',
  }),
)

function findOptions(host: ResolvedHost): Diagnostic[] {
  if (host.components.length === 0) return []
  return [...host.draft.options.values()].flatMap((given) => {
    const { name, component } = given.setting
    if (component === undefined || host.components.includes(component)) return []
    return [optionWithoutEffect({ name, host: host.name, component }, { span: given.keySpan })]
  })
}

const sshWithoutEffect = finding('ssh-without-effect', (facts: { host: string }) => ({
  message: `The ssh settings of ${facts.host} have no effect.`,
  why: 'With connection: local the host is this machine and is not reached over SSH.',
  fix: 'Remove them, or remove connection: local',
}))

function findSshSettings(host: ResolvedHost): Diagnostic[] {
  const [first] = host.draft.ssh.values()
  if (host.connection !== 'local' || first === undefined) return []
  return [sshWithoutEffect({ host: host.name }, { span: first.keySpan })]
}

/** Finds settings of a host that have no effect. */
export const withoutEffect = ({ hosts }: ResolvedCluster): readonly Diagnostic[] =>
  hosts.flatMap((host) => [...findOptions(host), ...findSshSettings(host)])
