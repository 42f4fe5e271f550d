import type { DrillPlan } from '../../src/deployment/drill/planDrill.ts'
import type { DrillReport } from '../../src/deployment/drill/runDrill.ts'

/** A drill that kills the server of db1, the primary of three. */
export const drillPlan: DrillPlan = {
  ...{ service: 'alpha', fault: 'kill', host: 'db1', primary: 'db1', mayStayAway: false, hasRemains: false },
  servers: ['db1', 'db2', 'db3'],
  candidates: ['db2', 'db3'],
  others: [
    { name: 'db2', address: '10.0.0.12' },
    { name: 'db3', address: '10.0.0.13' },
  ],
  through: { host: 'db2', port: 9999 },
}

const proof = { missing: 0, examples: [], unanswered: 0 }

/** The report of a drill in which nothing was lost. */
export const drillReport = (changes: Partial<DrillReport> = {}): DrillReport => ({
  plan: drillPlan,
  struck: new Date('2026-11-30T01:02:06.500Z'),
  moments: { failed: 1200, primary: 3900, row: 3600, healed: 4400, online: 9100, whole: 9600 },
  newPrimary: 'db2',
  rows: {
    acknowledged: 1971,
    longestPause: 3912,
    refused: {
      rows: 4,
      messages: [{ message: 'The database 127.0.0.1:9999 broke the connection off.', rows: 4 }],
    },
  },
  proofs: ['db1', 'db2', 'db3'].map((host) => ({ host, follows: true, proof })),
  problems: [],
  interrupted: false,
  ...changes,
})
