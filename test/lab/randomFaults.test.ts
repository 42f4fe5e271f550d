import { testRandomFaults } from './scenario/randomFaults.ts'
import { usualKind } from './scenario/serverKind.ts'
import { backupBase } from './support/releases.ts'

testRandomFaults({ ...usualKind, base: backupBase }, 25)
