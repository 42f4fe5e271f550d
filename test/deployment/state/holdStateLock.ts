import { lockState } from '../../../src/deployment/state/lockState.ts'

// A program that takes the lock of a state, says so and keeps it until it is killed.
const [, , directory = '', cluster = ''] = process.argv
void lockState({ directory, cluster }).then(() => {
  process.stdout.write('held\n')
  setInterval(() => undefined, 60_000)
})
