import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { debPackage } from '../../../src/deployment/render/debPackage.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const file = (path: string, content: string, mode = 0o644) => ({ path, mode, content: Buffer.from(content) })

/** A bundle of one host. */
export const bundle = {
  ...{ cluster: 'alpha', host: 'db1', muster: '0.2.0-rc.1' },
  architecture: 'x64',
  sums: 'a'.repeat(64),
  files: [
    file('apply', '#!/bin/sh\n', 0o755),
    file('secrets.age', 'sealed', 0o600),
    { path: 'root/opt/muster/runtimes/node-1/node', mode: 0o755, packed: gzipSync('#!/bin/sh\n') },
  ],
} as const
export const now = new Date('2026-11-23T12:00:00Z')

/** Writes its package and returns the path. */
export function writtenPackage(): string {
  const path = join(temporaryFolder(), 'one.deb')
  writeFileSync(path, debPackage(bundle, now))
  return path
}
