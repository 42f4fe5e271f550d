import { fileDifference, writeFiles } from '../desiredFile.ts'
import { change, type Step } from '../step.ts'
import type { Target } from '../target.ts'

/** Keystore and truststore for Java, key and chain for our servers, and the stores' passwords. */
export function storesStep(target: Target): Step {
  return {
    id: 'stores',
    title: 'write keystore, truststore and certificate',
    phase: 'commit',
    check: (facts) => {
      const details = target.tls.flatMap((file) => fileDifference(facts, file, target.layout.root) ?? [])
      return details.length === 0 ? undefined : change('write keystore, truststore and certificate', details)
    },
    apply: (transport) => writeFiles({ transport, facts: target.facts, files: target.tls }),
  }
}
