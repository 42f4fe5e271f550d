import type { HostFacts } from '../deployment/facts/hostFacts.ts'
import { foreignInstallation, machineChanged } from '../deployment/hostIdentity.ts'
import { installedElsewhere } from '../deployment/preflight/installationCheck.ts'
import type { BundleDescription } from '../deployment/render/bundleDescription.ts'
import { StepError } from '../deployment/stepError.ts'

/**
 * Reports an installation on this machine that is not the one of a bundle: of another cluster or host, on another
 * machine, or in another folder. A bundle may not change it.
 */
export function otherInstallation(
  { cluster, host }: Pick<BundleDescription, 'cluster' | 'host'>,
  facts: HostFacts,
): StepError | undefined {
  return (
    foreignInstallation({ cluster, host, facts }) ??
    otherMachine(host, facts) ??
    installedElsewhere({ cluster, host, facts })
  )
}

/** Reports a machine other than the one that muster installed, as the bundle or the machine itself has it on record. */
function otherMachine(host: BundleDescription['host'], facts: HostFacts): StepError | undefined {
  const { name, machineId, replaced } = host
  const machines = {
    recorded: new Map(machineId === undefined ? [] : [[name, machineId]]),
    folders: new Map<string, string>(),
    replaced: replaced === true ? [name] : [],
  }
  const other = machineChanged({ host: { ...host, connection: 'ssh' }, facts, machines })
  if (other === undefined) return undefined
  const { code, message } = other
  const fix = `Apply the bundle on the machine that it is for. If ${name} was replaced, render with --replaced ${name}.`
  return new StepError({ host: name, code, message, fix })
}
