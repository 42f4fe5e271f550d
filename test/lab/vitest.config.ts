import { basename } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// The lab: tests that boot real hosts. Root and Linux. Each file has hosts and a network of its own; four at a time,
// since a file keeps half a core busy and waits otherwise for what hosts do by themselves. With MUSTER_LAB_TRANSPORT
// (builtin, openssh, auto), what depends on the way to a host runs over that.
/** Files that take minutes, longest first. */
const long = [
  'renderAnsible',
  'attacker',
  'matrix',
  'switch',
  'randomFaults',
  'package',
  'switchFaults',
  'render',
  'clusterTruth',
  'restart',
  'confirmWithin',
  'killedAndAttacked',
  'outsideCertificates',
  'operation',
].map((name) => `${name}.test.ts`)

/** Begins with what takes longest, so that no file runs alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = long.indexOf(basename(moduleId))
      return at === -1 ? long.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include:
      process.env.MUSTER_LAB_TRANSPORT === undefined
        ? ['test/lab/**/*.test.ts']
        : ['install', 'faults', 'upgrade'].map((name) => `test/lab/${name}.test.ts`),
    // Verifying hashes of the full cost was a tenth of the CPU time of the lab; `install` keeps it.
    env: { MUSTER_TEST_SCRYPT_LN: '4' },
    maxWorkers: 4,
    sequence: { concurrent: false, shuffle: false, sequencer: LongestFirst },
    // Ends what hangs, and nothing else, while there is time left for the rest of the suite.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 60_000 } },
    setupFiles: ['test/lab/support/journals.ts'],
    globalSetup: [
      'test/support/build.ts',
      'test/lab/support/prepareBase.ts',
      'test/lab/support/prepareNode.ts',
    ],
  },
})
