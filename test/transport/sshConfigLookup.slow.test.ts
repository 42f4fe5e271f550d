import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createOnce } from '../../src/transport/once.ts'
import { createSshConfigLookup } from '../../src/transport/sshConfigLookup.ts'

it('ssh_config of many hosts is looked up by ten programs at a time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-lookups-'))
  try {
    mkdirSync(join(folder, 'running'))
    const program = join(folder, 'ssh')
    // Long enough for others to begin, were they allowed to.
    writeFileSync(
      program,
      `#!/bin/sh
mkdir "${folder}/running/$$"
ls "${folder}/running" | wc -l >> "${folder}/counts"
sleep 0.2
rmdir "${folder}/running/$$"
`,
    )
    chmodSync(program, 0o755)
    const lookup = createSshConfigLookup({
      env: { PATH: `${folder}:${process.env.PATH}` },
      ssh: { home: folder, user: 'ops', variables: {} },
      usual: join(folder, 'config'),
      sshHome: folder,
      once: createOnce(),
    })
    const hosts = Array.from({ length: 35 }, (_, index) => `db${index + 1}`)
    const found = await Promise.all(hosts.map((host) => lookup({ label: host, host })))
    expect(found.filter((one) => one !== undefined)).toHaveLength(hosts.length)
    const counts = readFileSync(join(folder, 'counts'), 'utf8').trim().split('\n').map(Number)
    expect(counts).toHaveLength(hosts.length)
    expect(Math.max(...counts)).toBeLessThanOrEqual(10)
    expect(Math.max(...counts)).toBeGreaterThan(1)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
