import { testRandomFaults } from './scenario/randomFaults.ts'
import { serverKinds } from './scenario/serverKind.ts'

testRandomFaults(serverKinds.mysql, 3)
