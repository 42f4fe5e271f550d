import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sha256 } from '../../../src/base/sha256.ts'
import { createTarGz } from '../../../src/base/tar.ts'
import {
  type CloudInitBundle,
  firstBootScript,
  metaData,
  userData,
} from '../../../src/deployment/render/cloudInit.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const apply = {
  path: 'db1/apply',
  content: Buffer.from('#!/bin/sh\necho "applied $*" > "$APPLIED"\n'),
  mode: 0o755,
}
const archive = createTarGz([apply], new Date(0))
const bundle: CloudInitBundle = {
  ...{ cluster: 'alpha', host: 'db1', archive: 'db1.tar.gz', folder: 'db1', sha256: sha256(archive) },
  size: archive.length,
  sums: 'a'.repeat(64),
}

/** Serves the archive; returns the address of its folder. */
async function served(content: Buffer): Promise<string> {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/alpha/db1.tar.gz' ? 200 : 404).end(content)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/alpha/`
}

/** Runs the script with another home of root; returns what `apply` got. */
async function firstBoot(
  of: CloudInitBundle,
): Promise<{ readonly folder: string; readonly failed: boolean }> {
  const folder = temporaryFolder()
  const script = firstBootScript(of).replace('/root/.muster-bundle', `${folder}/.muster-bundle`)
  const env = { ...process.env, APPLIED: join(folder, 'applied') }
  const failed = await promisify(execFile)('sh', ['-c', script], { env }).then(
    () => false,
    () => true,
  )
  return { folder, failed }
}

describe('the first boot of a host by cloud-init', () => {
  it('fetches the archive, applies it with the key of the host and leaves no copy', async () => {
    const { folder, failed } = await firstBoot({ ...bundle, url: await served(archive) })
    expect(failed).toBe(false)
    expect(readdirSync(folder)).toEqual(['applied'])
    expect(readFileSync(join(folder, 'applied'), 'utf8')).toBe(
      `applied --sums ${bundle.sums} --identity /etc/muster/alpha.key\n`,
    )
  })

  it('applies no archive with another checksum', async () => {
    const other = Buffer.concat([archive, Buffer.from('more')])
    const { folder, failed } = await firstBoot({ ...bundle, url: await served(other) })
    expect(failed).toBe(true)
    expect(existsSync(join(folder, 'applied'))).toBe(false)
    expect(readdirSync(folder)).toEqual([])
  })

  it('fetches no more than the size of the archive from a server without end', async () => {
    const all = 256 * 1024 * 1024
    let sent = 0
    const server = createServer((_, response) => {
      const send = (): void => {
        while (sent < all) {
          sent += 65_536
          if (!response.write(Buffer.alloc(65_536))) return
        }
        response.end()
      }
      response.on('drain', send)
      send()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { folder, failed } = await firstBoot({ ...bundle, url })
    expect(failed).toBe(true)
    expect(sent).toBeLessThan(all)
    expect(readdirSync(folder)).toEqual([])
  })

  it('takes the archive of the seed without a web server', () => {
    expect(firstBootScript(bundle)).toContain('archive=/var/lib/cloud/seed/nocloud/db1.tar.gz\n')
    expect(firstBootScript(bundle)).not.toContain('python3')
    expect(firstBootScript({ ...bundle, url: 'https://images' })).toContain('until timeout 600 python3 -I ')
  })

  it('has user-data with the script as one block, and an instance for each bundle', () => {
    const text = userData(bundle)
    expect(text).toMatch(/^#cloud-config\n/)
    const block = text.slice(text.indexOf('    - |\n') + 8)
    expect(block.replaceAll(/^ {6}/gm, '')).toBe(firstBootScript(bundle))
    expect(metaData(bundle)).toBe(`instance-id: muster-alpha-db1-${sha256(archive).slice(0, 12)}\n`)
    expect(metaData({ ...bundle, sha256: 'f'.repeat(64) })).not.toBe(metaData(bundle))
  })
})
