import { testRandomFaults } from './scenario/randomFaults.ts'
import { usualKind } from './scenario/serverKind.ts'
import { equippedBase } from './support/releases.ts'

testRandomFaults({ ...usualKind, base: equippedBase }, 8)
