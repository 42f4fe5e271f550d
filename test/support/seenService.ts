import type { SeenService } from '../../src/client/clusterView.ts'

/** A service whose data sources are in these states; the first one is the primary. */
export const seenService = (...states: readonly string[]): SeenService =>
  ({
    name: 'alpha',
    writer: { datasource: states[0] === 'ONLINE' ? 'db1' : null },
    datasources: states.map((state, index) => ({ name: `db${index + 1}`, state })),
  }) as unknown as SeenService
