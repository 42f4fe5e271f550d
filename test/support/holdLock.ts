import { withLock } from '../../src/accounts/userFileLock.ts'

// A program that takes the lock of its argument, says so and keeps it until it is killed.
void withLock({ path: process.argv[2] ?? '' }, async () => {
  process.stdout.write('held\n')
  await new Promise((resolve) => setTimeout(resolve, 60_000))
})
