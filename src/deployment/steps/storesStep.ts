import { quote } from '../../base/shellWords.ts'
import { batchSteps } from '../batchSteps.ts'
import { belowRoot, fileDifference, writeFiles } from '../desiredFile.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import { runOrThrow } from '../runOrThrow.ts'
import { type Step, writing } from '../step.ts'
import type { StepTarget } from '../target.ts'

const title = 'write keystore, truststore and certificate'

/** Names under which a run may have written a store: the user's own keep their extension. */
const storeName = /^(?:key|trust)store(?:\.[^/]*)?$/

/** Returns stores of another format in the folder, such as `keystore.p12` once the host has `keystore.jks`. */
function staleStores(
  { tls, layout }: Pick<StepTarget, 'tls' | 'layout'>,
  facts: HostFacts,
): readonly string[] {
  const wanted = new Set(tls.map(({ path }) => path))
  return [...facts.installation.files.keys()].filter(
    (path) =>
      path.startsWith(`${layout.tls}/`) &&
      storeName.test(path.slice(layout.tls.length + 1)) &&
      !wanted.has(path) &&
      // The file may name one of these as the host's own store.
      !facts.hostStores.has(path),
  )
}

/**
 * Writes keystore and truststore for Java, key and chain for the servers, and the passwords of stores and databases.
 */
export function storesStep(target: Pick<StepTarget, 'tls' | 'layout'>): Step {
  return {
    id: 'stores',
    title,
    phase: 'commit',
    batchable: true,
    check: (facts) => {
      const differing = target.tls.flatMap((file) => {
        const detail = fileDifference(facts, file, target.layout.root)
        return detail === undefined ? [] : [{ file, detail }]
      })
      const stale = staleStores(target, facts).map(
        (path) => `${belowRoot(path, target.layout.root)}: removed`,
      )
      if (differing.length + stale.length === 0) return undefined
      const passwordsOnly =
        stale.length === 0 && differing.every(({ file }) => file.path === target.layout.secretsFile)
      return writing(passwordsOnly ? 'write passwords' : title, [
        ...differing.map(({ detail }) => detail),
        ...stale,
      ])
    },
    apply: async (transport, facts) => {
      const { tls: files } = target
      const stale = staleStores(target, facts)
      if (stale.length === 0) return writeFiles({ transport, facts, files })
      await batchSteps(transport, (to) => [
        writeFiles({ transport: to, facts, files }),
        runOrThrow(to, {
          doing: 'removing old stores',
          fix: 'Install again.',
          script: `rm -f ${stale.map(quote).join(' ')}`,
        }),
      ])
    },
  }
}
