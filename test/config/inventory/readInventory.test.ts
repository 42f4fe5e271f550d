import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isProblem } from '../../../src/config/inventory/inventory.ts'
import { outlineInventory } from '../../../src/config/inventory/outlineInventory.ts'
import { readInventory } from '../../../src/config/inventory/readInventory.ts'
import { outlineText } from '../../../src/output/config/outlineText.ts'
import { codes, loadText } from '../loadText.ts'

const folder = fileURLToPath(new URL('../../fixtures/inventory', import.meta.url))
const sources = readdirSync(folder).filter((name) => !name.endsWith('.out.yaml'))

const problem = (text: string): string => {
  const read = readInventory(text)
  return isProblem(read) ? read.message : `read as ${read.kind}`
}

const written = (source: string, text: string, more: { readonly databases?: 'mariadb' } = {}): string => {
  const inventory = readInventory(text)
  if (isProblem(inventory)) throw new Error(inventory.message)
  const outline = outlineInventory(inventory, { source, cluster: 'alpha', ...more })
  if (isProblem(outline)) throw new Error(outline.message)
  return outlineText(outline)
}

describe('an inventory of another tool', () => {
  it.each(sources)('becomes the expected configuration, which is valid: %s', async (name) => {
    const text = written(name, readFileSync(`${folder}/${name}`, 'utf8'))
    await expect(text).toMatchFileSnapshot(`${folder}/${name}.out.yaml`)
    const { config, diagnostics } = loadText(text)
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(config?.hosts.length).toBeGreaterThan(0)
  })

  it('never shows a password, whatever tells it', () => {
    const all = sources.map((name) => written(name, readFileSync(`${folder}/${name}`, 'utf8'))).join('')
    expect(all).not.toMatch(/s3cret|never-shown|6162636465/)
    expect(all).toContain('ansible_ssh_pass was not carried over')
  })

  it('names an encrypted variable that it needs, and does not guess it', () => {
    const text = written('x.yaml', 'db:\n  hosts:\n    db1:\n      ansible_user: !vault |\n        61\n')
    expect(text).toContain('# ansible_user was not carried over: its value is encrypted or has a tag.')
    expect(text).not.toContain('user: 61')
  })

  it('names accounts for databases of a kind that somebody named', () => {
    const text = written('plain.ini', '[db]\ndb1\n', { databases: 'mariadb' })
    expect(codes(loadText(text))).toEqual([])
    expect(text).toContain('replication-password: !env REPLICATION_PASSWORD')
  })

  it('is recognized by its content, or refused with the reason', () => {
    expect(problem('[db]\ndb1\n')).toBe('read as an Ansible inventory in INI')
    expect(problem('db1\ndb2 ansible_host=10.0.0.1\n')).toBe('read as an Ansible inventory in INI')
    expect(problem('db:\n  hosts:\n    db1:\n')).toBe('read as an Ansible inventory in YAML')
    expect(problem('- hosts: db\n  tasks: []\n')).toContain('a list, such as a playbook')
    expect(problem('$ANSIBLE_VAULT;1.1;AES256\n61\n')).toContain('encrypted by Ansible Vault')
    expect(problem('{"version":4,"terraform_version":"1.9","outputs":{}}')).toContain(
      'a state file of Terraform',
    )
    expect(problem('{"format_version":"1.0","terraform_version":"1.9"}')).toContain('terraform show')
    expect(problem('{"a":1}')).toContain('no known inventory')
    expect(problem('{"a":{"value":"vpc-1","type":"string"}}')).toContain('No output of Terraform')
    expect(problem('cluster: alpha\n')).toContain("'cluster' is no group")
    expect(problem('')).toContain('no host in it')
    expect(problem('a: b: c\n')).toContain('not valid YAML at line 1')
    expect(problem('[db]\n')).toContain('no host in it')
    expect(problem('[db]\ndb1 "open\n')).toContain('Line 2')
    expect(problem('["10.0.0.1"]\n')).toContain('a JSON value without names')
    expect(problem('"10.0.0.1"\n')).toContain('a JSON value without names')
    expect(problem('[db servers]\ndb1\n[x]\n')).toContain(
      "Line 1 of the inventory is no heading of a section: '[db servers]'",
    )
    expect(problem('[db]\ndb1\n[db:var]\n')).toContain('Line 3')
    expect(problem('plugin: amazon.aws.aws_ec2\nregions: []\n')).toContain(
      "the inventory plugin 'amazon.aws.aws_ec2'",
    )
    expect(problem('[db]\ndb[1:99999999]\n')).toContain('too many hosts')
    expect(problem('[db]\ndb[3:1]\n')).toContain('is no range')
    expect(
      problem(`[db]\n${Array.from({ length: 6 }, (_, at) => `x${at}-[1:2000]`).join('\n')}\n`),
    ).toContain('more than 10000 hosts')
    expect(problem('a: &a\n  hosts: *a\n')).toContain('line 2')
  })

  it('is refused where a few lines multiply to more than anybody needs', () => {
    const lines = (count: number, line: (at: number) => string): string =>
      Array.from({ length: count }, (_, at) => line(at)).join('\n')
    const many = 'h[1:9000]'
    for (const text of [
      `[db]\n${lines(50_000, () => many)}\n`,
      `[db]\n${many} ${lines(20_000, (at) => `v${at}=1`).replaceAll('\n', ' ')}\n`,
      `[db:vars]\n${lines(20_000, (at) => `v${at}={{x}}`)}\n[db]\n${many}\n`,
      `${lines(20_000, (at) => `[g${at}:children]\ng${at + 1}`)}\n${lines(20_000, (at) => `[g${at}]\nh${at % 9000}`)}\n`,
      `${lines(5000, (at) => `[g${at}:children]\ng${at + 1}`)}\n[g4999]\n${many}\n`,
    ])
      expect(problem(text)).toContain('more than 1000000 entries')
  })

  it('is read in one pass, however long a line is', () => {
    for (const line of [
      '['.repeat(300_000),
      `[${'a'.repeat(300_000)}`,
      `a${' '.repeat(300_000)}b`,
      `[${':'.repeat(300_000)}]`,
    ])
      problem(`[db]\n${line}\n[x:children]\n${line}\n`)
    written('x.json', `{"db${'_ip'.repeat(300_000)}":["db1"]}`)
  })

  it('is refused where a service would have more hosts than a cluster has', () => {
    expect(() => written('x.ini', '[web]\nh[1:1001]\n')).toThrow('1001 hosts would be in one service')
    expect(written('x.ini', '[web]\nh[1:1001]\n[db]\ndb1\n')).toContain('members: [db1]')
  })

  it('gives variables of special groups the last word, as Ansible does', () => {
    const text = written(
      'nested.ini',
      '[all:vars]\nansible_user=low\n[a]\ndb1\n[a:vars]\nansible_user=a\n[b:children]\na\n[b:vars]\nansible_user=b\nansible_port=2222\n',
    )
    expect(text).toContain('user: a\n')
    expect(text).toContain('port: 2222\n')
  })
})
