import { describe, expect, it } from 'vitest'
import { diagPreview, diagReadme, diagResult } from '../../../src/output/deployment/diagText.ts'

const parts = [
  { path: 'plan.txt', what: 'what install would change' },
  { path: 'hosts/', what: 'facts of each host' },
]

describe('the texts of muster diag', () => {
  it('list the contents of the archive and its path', () => {
    expect(diagPreview(parts, 60)).toMatchInlineSnapshot(`
      "The archive for a bug report will contain:
        plan.txt  what install would change
        hosts/    facts of each host
      The archive contains no known passwords, hashes, private
      keys or digests of files. It contains names, addresses,
      paths and log lines of hosts: review it before you share it.
      "
    `)
    const written = { path: '/home/ops/report.tar.gz', bytes: 70_000, files: 9, width: 60 }
    expect(diagResult({ ...written, unreachable: [] })).toMatchInlineSnapshot(`
      "Written to /home/ops/report.tar.gz (9 files, 68 KiB).
      "
    `)
    expect(diagResult({ ...written, unreachable: ['db2', 'db3'] })).toMatchInlineSnapshot(`
      "Unreachable (see the archive for the reason): db2, db3.
      Written to /home/ops/report.tar.gz (9 files, 68 KiB).
      "
    `)
  })

  it('are in the README of the archive, with the unreachable hosts', () => {
    const lost = [{ host: 'db2', code: 'connection-refused', message: 'db2 refused the connection' }]
    const made = new Date('2026-03-01T12:00:00Z')
    expect(diagReadme({ cluster: 'alpha', made, parts, unreachable: lost })).toMatchInlineSnapshot(`
      "Made by muster diag for the cluster alpha at 2026-03-01T12:00:00.000Z.
      The archive contains no known passwords, hashes, private keys or digests of files. It contains
      names, addresses, paths and log lines of hosts: review it before you share it.

      plan.txt: what install would change
      hosts/: facts of each host

      Unreachable hosts:
      db2: db2 refused the connection [connection-refused]
      "
    `)
  })
})
