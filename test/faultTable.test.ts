import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type FaultRow, faultRows } from './support/faultRows.ts'

/**
 * The fault table of deployment.md: each row, and the tests that hold it, by file and a part of their names. In
 * `scenarios/` hosts are folders behind SSH servers of their own; in `lab/` they are Debian on a real kernel.
 */
const table: Readonly<Record<FaultRow, readonly (readonly [file: string, name: string])[]>> = {
  'AllowTcpForwarding no': [
    ['scenarios/faults.test.ts', 'of a jump host that lets nobody through (AllowTcpForwarding no)'],
    ['lab/ssh.test.ts', 'is told with the jump host that lets nobody through'],
  ],
  'down at start': [
    ['scenarios/faults.test.ts', 'of a host that is down at start'],
    ['lab/refusals.test.ts', 'exits with 4 when a host cannot be reached, and leaves the others alone'],
  ],
  'goes down mid-run': [
    ['scenarios/faults.test.ts', 'of a host that goes down while it is changed'],
    [
      'scenarios/interruption.test.ts',
      'by SIGINT ends after its step with 130, by a lost connection with 4, and is completed by the next run',
    ],
    ['lab/locks.test.ts', 'has no lock of a run that lost the power of its host'],
  ],
  'accepts TCP, never a banner': [
    ['scenarios/faults.test.ts', 'of a host that takes connections and never says a word'],
  ],
  'resets after the banner': [['scenarios/faults.test.ts', 'of a host that resets after its banner']],
  'host key changed': [
    ['scenarios/faults.test.ts', 'of a host key that has changed'],
    ['lab/trust.test.ts', 'tells a changed key with both fingerprints, as everything refuses it'],
  ],
  'wrong login': [
    ['scenarios/faults.test.ts', 'of a login that is refused'],
    ['lab/refusals.test.ts', 'says so when the login is refused'],
  ],
  'MaxStartups 2:100:3': [
    [
      'scenarios/faults.test.ts',
      'that is full (MaxStartups 2:100:3) is reported, and the next run completes',
    ],
    ['transport/ssh.openssh.slow.test.ts', 'is tried again (MaxStartups 2:100:3)'],
  ],
  'MaxSessions 1': [
    [
      'scenarios/faults.test.ts',
      'that allows one session per connection (MaxSessions 1) does not hinder a run',
    ],
    ['transport/ssh.openssh.slow.test.ts', 'logs in, runs and writes, with MaxSessions 1'],
  ],
  'disk full at a write': [['lab/faults.test.ts', 'of a disk that is full at a write']],
  'read-only directory': [['lab/faults.test.ts', 'of a folder that is read-only']],
  'sudo wants a password': [
    ['scenarios/faults.test.ts', 'of sudo that wants a password'],
    ['scenarios/ssh.test.ts', 'reports a wrong sudo password, and a missing one'],
    ['lab/ssh.test.ts', 'says that one is needed'],
    ['lab/ssh.test.ts', 'installs through a jump host, and shows and leaves the password nowhere'],
  ],
  'clock two hours off': [
    [
      'scenarios/faults.test.ts',
      'of a clock two hours behind is reported by check, and does not affect a run (needs libfaketime)',
    ],
  ],
  'address now another machine': [
    ['scenarios/faults.test.ts', 'of an address that is now another machine stops every command'],
    ['lab/faults.test.ts', 'of an address that is now another machine'],
  ],
  'our process killed (SIGKILL) after each step, then run again': [
    ['scenarios/interruption.test.ts', 'by SIGKILL at each step in turn is completed by the next run'],
    [
      'scenarios/interruption.test.ts',
      'by SIGKILL at each step of an update always leaves a login with the old password or the new',
    ],
  ],
  'two operators at once': [
    [
      'scenarios/locks.test.ts',
      'refuses the second operator with exit code 5, and releases the locks of the refused run',
    ],
    ['lab/locks.test.ts', 'restarts twice with --lock-wait, one run after the other'],
  ],
  'lock whose owner died': [
    ['scenarios/locks.test.ts', 'is free immediately after its owner was killed by SIGKILL'],
    ['scenarios/locks.test.ts', 'is taken over if its last heartbeat is 31 s old'],
    ['lab/locks.test.ts', 'goes on at once after an owner that was killed'],
  ],
  'service starts and exits after 3 s': [
    ['lab/undo.test.ts', 'with services that end after three seconds goes back to what ran'],
  ],
  'port taken': [
    ['scenarios/faults.test.ts', 'of a port that another program has'],
    ['lab/refusals.test.ts', 'names the host and the port that something else has'],
  ],
  '50 MB of output from a host': [
    ['scenarios/faults.test.ts', 'of 50 MB of output from a host'],
    ['transport/ssh.slow.test.ts', 'refuses 50 MB of output and goes on'],
  ],
  'every certificate defect': [
    ['scenarios/certificateDefects.test.ts', '%s is reported, and the next run with the right one completes'],
    [
      'scenarios/certificateDefects.test.ts',
      'that expires soon and is readable by others is used with warnings',
    ],
    ['scenarios/refusals.test.ts', 'with another password or of another host, with exit code 1'],
    ['certificates/checkStores.test.ts', 'is found as %s'],
  ],
}

const textOf = (file: string): string => readFileSync(fileURLToPath(new URL(file, import.meta.url)), 'utf8')

describe('the fault table', () => {
  it('has all rows of the design', () => {
    expect(Object.keys(table)).toEqual(faultRows)
    expect(faultRows).toHaveLength(21)
  })

  it.each(Object.entries(table))('lists tests for: %s', (_, tests) => {
    expect(tests.length).toBeGreaterThan(0)
    expect(tests.filter(([file, name]) => !textOf(file).includes(name))).toEqual([])
  })

  // Nothing lost, a login everywhere, a clear message, and a second run that converges: one function asks for all.
  it.each(Object.entries(table))('lists a whole run that ends well for: %s', (row, tests) => {
    const whole = tests.filter(([file]) => {
      const text = textOf(file)
      return text.includes("/support/endsWell.ts'") && text.includes(`row: '${row}'`)
    })
    expect(whole).not.toEqual([])
  })
})
