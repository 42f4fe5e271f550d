import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { places, validated } from './validated.ts'

const env = { PATH: process.env.PATH, HOME: '/nonexistent' }
const password = 'x8Jw-Rt2q_Lm0'

const base = `cluster: alpha
defaults:
  rest-api-admin-user: admin
  rest-api-admin-pass: ${password}
services:
  alpha:
    topology: clustered
    master: db1
    members: [db1]
    options: { rest-api-admin-password: ${password} }
hosts:
  db1:
    address: 10.0.0.11
    options: { rest-api-admin-pass: !env ADMIN_PASS }
`

function repository(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder()
  execFileSync('git', ['-C', folder, 'init', '-q'], { env })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  execFileSync('git', ['-C', folder, 'add', '.'], { env })
  return folder
}

it('muster validate reports every plaintext secret in a tracked file, used or not', async () => {
  const folder = repository({ 'muster.yaml': base })
  const { code, findings } = await validated(folder, { env: { ...env, ADMIN_PASS: password } })
  expect(code).toBe(0)
  expect(places(findings)).toEqual(['4:24 plaintext-secret-tracked', '10:41 plaintext-secret-tracked'])
  expect(findings[1]).toMatchObject({
    severity: 'warning',
    message: 'rest-api-admin-password is in plain text in muster.yaml, which git tracks.',
  })
})

it('muster validate reports a plaintext secret in an overridden file, and only in the tracked one', async () => {
  const over = base.replace('!env ADMIN_PASS', password).replaceAll(/ {2}rest-api-admin-pass: .*\n/g, '')
  const folder = repository({ 'base.yaml': base })
  writeFileSync(join(folder, 'over.yaml'), over)
  const argv = ['base.yaml', 'over.yaml']
  const { findings } = await validated(folder, { env, argv })
  const tracked = findings.filter(({ code }) => code === 'plaintext-secret-tracked')
  expect(tracked.map(({ file, line }) => `${file}:${line}`)).toEqual(['base.yaml:4', 'base.yaml:10'])
})

it('muster validate reports no plaintext secret from standard input, --set or an untracked file', async () => {
  const folder = repository({})
  expect(
    (await validated(folder, { env, argv: ['-'], typed: base })).findings.map(({ code }) => code),
  ).toEqual(['secret-not-resolved'])
  writeFileSync(join(folder, 'muster.yaml'), base)
  expect((await validated(folder, { env })).findings.map(({ code }) => code)).toEqual(['secret-not-resolved'])
})

it('muster validate runs git only if a file has a plaintext secret', async () => {
  const tools = temporaryFolder()
  writeFileSync(join(tools, 'git'), '#!/bin/sh\ntouch "$(dirname "$0")/asked"\n', { mode: 0o755 })
  const spied = { ...env, PATH: `${tools}:${process.env.PATH}` }
  const folder = repository({ 'muster.yaml': base.replaceAll(password, '!env ADMIN_PASS') })
  await validated(folder, { env: spied })
  expect(existsSync(join(tools, 'asked'))).toBe(false)
  writeFileSync(join(folder, 'muster.yaml'), base)
  await validated(folder, { env: spied })
  expect(existsSync(join(tools, 'asked'))).toBe(true)
})

it('a comment with a reason silences a tracked plaintext secret, like any other warning', async () => {
  const text = base.replace(
    '  rest-api-admin-pass',
    '  # muster-ignore: plaintext-secret-tracked a lab that nobody else reaches\n  rest-api-admin-pass',
  )
  const { findings } = await validated(repository({ 'muster.yaml': text }), {
    env: { ...env, ADMIN_PASS: password },
  })
  expect(places(findings)).toEqual(['11:41 plaintext-secret-tracked'])
  const untracked = repository({})
  writeFileSync(join(untracked, 'muster.yaml'), text)
  expect((await validated(untracked, { env: { ...env, ADMIN_PASS: password } })).findings).toEqual([])
})
