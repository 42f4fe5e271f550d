import { fileDifference, writeFiles } from '../desiredFile.ts'
import { change, type Step } from '../step.ts'
import type { Target } from '../target.ts'

const title = 'write keystore, truststore and certificate'

/** Keystore and truststore for Java, key and chain for our servers, and the passwords: of the stores, of databases. */
export function storesStep(target: Pick<Target, 'tls' | 'layout' | 'facts'>): Step {
  return {
    id: 'stores',
    title,
    phase: 'commit',
    atOnce: true,
    check: (facts) => {
      const differing = target.tls.flatMap((file) => {
        const detail = fileDifference(facts, file, target.layout.root)
        return detail === undefined ? [] : [{ file, detail }]
      })
      if (differing.length === 0) return undefined
      const passwordsOnly = differing.every(({ file }) => file.path === target.layout.secretsFile)
      return change(
        passwordsOnly ? 'write passwords' : title,
        differing.map(({ detail }) => detail),
      )
    },
    apply: (transport) => writeFiles({ transport, facts: target.facts, files: target.tls }),
  }
}
