import { testDisturbedSwitches } from './scenario/disturbedSwitches.ts'
import { serverKinds } from './scenario/serverKind.ts'

testDisturbedSwitches(serverKinds.mariadb11)
