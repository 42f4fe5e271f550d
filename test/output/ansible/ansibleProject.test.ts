import { readdirSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { components } from '../../../src/contracts/component.ts'
import { hostFiles } from '../../../src/deployment/hostFiles.ts'
import { assumedFacts, renderedConfig } from '../../../src/deployment/render/assumedFacts.ts'
import { renderHost } from '../../../src/deployment/render/renderedHost.ts'
import { ansibleProject } from '../../../src/output/ansible/ansibleProject.ts'
import { targetOf } from '../../deployment/steps/target.ts'
import { hostConfig, proxy } from '../../support/deploymentValues.ts'

const hosts = ['db1', 'db2'].map((name, index) => {
  const host = hostConfig({
    name,
    address: `10.0.0.${index + 1}`,
    ssh: {
      transport: 'builtin',
      become: index === 1,
      user: 'ops',
      jump: ['a@b', 'c'],
      knownHosts: '/my %known hosts',
    },
    ...(index === 1 ? { proxy: { ...proxy, drainTimeout: 1000 } } : {}),
  })
  return renderHost(targetOf({ host: renderedConfig(host), facts: assumedFacts(host, 'x64') }))
})

const projectOf = (cluster: string, rendered = hosts) =>
  ansibleProject({
    cluster,
    hosts: rendered,
    runtime: Buffer.from('node'),
    machines: new Map([['db1', 'e'.repeat(32)]]),
    replaced: [],
    common: [],
    seal: () => 'sealed',
  })
const project = projectOf('al-pha')
const contentOf = (path: string): string =>
  String(project.find((file) => file.path === path)?.content ?? `no ${path}`)
const yamlOf = (path: string): unknown => parseDocument(contentOf(path)).toJS()

describe('a project for Ansible', () => {
  it('has the hosts in a group of their cluster, reached as muster reaches them', () => {
    expect(yamlOf('inventory.yaml')).toEqual({
      all: {
        children: {
          muster: {
            children: {
              muster_al_pha: {
                hosts: {
                  db1: {
                    ansible_host: '10.0.0.1',
                    ansible_user: 'ops',
                    ansible_ssh_common_args: expect.stringMatching(
                      /^-o 'UserKnownHostsFile="\/my %%known hosts"' -o 'ProxyCommand=ssh /,
                    ),
                  },
                  db2: expect.objectContaining({ ansible_become: true }),
                },
              },
            },
          },
          drain_in_turn: { hosts: { db2: {} } },
        },
      },
    })
  })

  it('writes each file of a host that muster writes', () => {
    const folder = new URL('../../../templates/ansible/roles/muster/tasks/', import.meta.url)
    const tasks = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))
    const dests = [...tasks.join('\n').matchAll(/dest: "\{\{ muster_share \}\}\/(.+)"/g)].map(([, to]) => to)
    const listed = JSON.stringify(yamlOf('group_vars/muster_al_pha.yaml'))
    for (const { target } of hosts) {
      const paths = hostFiles.map(({ path }) => path(target))
      const names = [...paths, ...target.tls.map(({ path }) => path)].map((path) =>
        relative(target.layout.share, path),
      )
      expect(names.length).toBeGreaterThan(5)
      for (const name of names) {
        const isWritten =
          dests.includes(name) ||
          (dests.includes('{{ item }}.json') && components.some((it) => name === `${it}.json`)) ||
          (dests.includes('{{ item }}') && listed.includes(`"${name}"`))
        expect(isWritten, name).toBe(true)
      }
    }
  })

  it('has no other group with the name of a cluster', () => {
    const inventory = parseDocument(
      String(projectOf('in-turn').find(({ path }) => path === 'inventory.yaml')?.content),
    ).toJS()
    const hosts = { db1: expect.anything(), db2: expect.anything() }
    expect(inventory.all.children).toEqual({
      muster: { children: { muster_in_turn: { hosts } } },
      drain_in_turn: { hosts: { db2: {} } },
    })
  })

  it('has no line that is too long for ansible-lint without a mark, which changes no value', () => {
    const knownHosts = `/${'long'.repeat(50)}`
    const [host] = hosts
    if (host === undefined) throw new Error('no host')
    const { target } = host
    const long = { ...target, host: { ...target.host, ssh: { ...target.host.ssh, knownHosts } } }
    const inventory = String(
      projectOf('alpha', [{ ...host, target: long }]).find(({ path }) => path === 'inventory.yaml')?.content,
    )
    expect(inventory).toMatch(/^ +ansible_ssh_common_args: .* # noqa: yaml\[line-length\]$/m)
    expect(inventory.match(/# noqa/g)).toHaveLength(1)
    expect(parseDocument(inventory).toJS().all.children.muster.children.muster_alpha.hosts.db1).toMatchObject(
      {
        ansible_ssh_common_args: expect.stringMatching(/^-o .* -o ProxyUseFdpass=no$/),
      },
    )
  })

  it('has what all hosts share in the variables of the group, and the rest in those of the host', () => {
    expect(yamlOf('group_vars/muster_al_pha.yaml')).toMatchObject({
      ansible_pipelining: true,
      muster_cluster: 'al-pha',
      muster_root: '/opt/muster',
      muster_components: ['manager', 'connector', 'replicator'],
      muster_private: { owner: 'root', mode: '0640' },
    })
    expect(yamlOf('host_vars/db1/main.yaml')).toMatchObject({ muster_machine_id: 'e'.repeat(32) })
    expect(contentOf('host_vars/db2/main.yaml')).not.toContain('muster_machine_id')
  })

  it('seals users, logins, keys, stores and passwords, and nothing that anybody may read', () => {
    const sealed = project.filter(({ content }) => content === 'sealed').map(({ path }) => path)
    const of = (name: string) => [
      `host_vars/${name}/vault.yaml`,
      ...['tls/keystore.p12', 'tls/key.pem', 'secrets.json'].map((path) => `files/${name}/${path}`),
    ]
    expect(sealed.toSorted()).toEqual([...of('db1'), ...of('db2')].toSorted())
    expect(project.some(({ content }) => String(content).includes('the password'))).toBe(false)
    expect(contentOf('files/db1/tls/chain.pem')).not.toContain('no files')
  })

  it('marks a text with braces, which Ansible would take for a template', () => {
    let vault = ''
    ansibleProject({
      cluster: 'alpha',
      hosts: hosts.slice(0, 1).map((host) => ({
        ...host,
        users: [{ user: '{{ admin }}', hash: '$scrypt$' }],
      })),
      runtime: Buffer.from(''),
      machines: new Map(),
      replaced: [],
      common: [],
      seal: (plain) => {
        if (plain.includes('muster_users')) vault = plain.toString()
        return ''
      },
    })
    expect(vault).toContain(`- user: !unsafe '{{ admin }}'`)
    expect(vault).toContain('hash: $scrypt$'.replace('$scrypt$', "'$scrypt$'"))
  })

  it('has the scripts of the way back with expressions of the role in place of values', () => {
    const script = contentOf('roles/muster/templates/restore-snapshot.sh.j2')
    expect(script).toContain("cd '{{ muster_root_in_quotes }}' || exit 1")
    expect(script).not.toMatch(/\{[#%]/)
  })
})
