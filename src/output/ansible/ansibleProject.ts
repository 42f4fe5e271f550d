import { quote } from '../../base/shellWords.ts'
import type { HostConfig } from '../../config/model.ts'
import { components } from '../../contracts/component.ts'
import { dataIn, layoutOf } from '../../deployment/layout.ts'
import { removeUserScript } from '../../deployment/plans/uninstallPlan.ts'
import type { RenderedHost } from '../../deployment/render/renderedHost.ts'
import { sshOptions } from '../../deployment/render/sshOptions.ts'
import { restoreScript } from '../../deployment/snapshot/restoreScript.ts'
import { takeScript } from '../../deployment/snapshot/takeScript.ts'
import { expectedResponses } from '../../deployment/verifyHost.ts'
import { yamlText } from '../yamlText.ts'
import { jsonTemplate, linesTemplate, withoutJinja } from './jinjaTemplates.ts'
import { createVariables, type Variables } from './variables.ts'

/** File of a project; its path is below the folder of the project. */
type ProjectFile = { readonly path: string; readonly content: string | Buffer }

/** A cluster as a project for Ansible. */
type Cluster = {
  readonly cluster: string
  readonly hosts: readonly RenderedHost[]
  /** Node.js of all hosts, packed with gzip. */
  readonly runtime: Buffer
  /** Machine-id of a host that was installed before, by name. */
  readonly machines: ReadonlyMap<string, string>
  /** Hosts that are meant to be other machines now. */
  readonly replaced: readonly string[]
  /** Playbooks, tasks and scripts of every cluster (`templates/ansible`). */
  readonly common: readonly ProjectFile[]
  /** Encrypts a file as Ansible Vault does. */
  readonly seal: (plain: Buffer) => string
}

const role = 'roles/muster'

/**
 * Returns a whole project for Ansible: inventory, variables, playbooks and a role. What all hosts have alike is in
 * templates and variables of their group, the rest in variables of the host. All that is secret is sealed.
 */
export function ansibleProject(options: Cluster): readonly ProjectFile[] {
  const { cluster, hosts, runtime, machines, replaced, common, seal } = options
  const [first] = hosts
  if (first === undefined) throw new Error('a project needs a host')
  const names = hosts.map(({ target }) => target.host.name)
  const variables = createVariables(names)
  const templates = templatesOf(hosts, variables)
  for (const [name, valueOn] of Object.entries(hostValues)) {
    variables.add(new Map(hosts.map((host) => [host.target.host.name, valueOn(host)])), [name])
  }
  const known = new Map([...machines].filter(([name]) => names.includes(name)))
  if (known.size > 0) variables.add(known, ['muster_machine_id'])
  if (replaced.length > 0) variables.add(new Map(replaced.map((name) => [name, true])), ['muster_replaced'])
  const group = groupOf(cluster)
  const yaml = (path: string, comment: string, value: object): ProjectFile => ({
    path,
    content: markLongLines(document(comment, value)),
  })
  return [
    ...common,
    ...templates.map(({ path, content }) => ({ path: `${role}/templates/${path}`, content })),
    { path: `${role}/files/muster-api.cjs`, content: bytesOf(first.release.program) },
    { path: `${role}/files/node.gz`, content: runtime },
    yaml('inventory.yaml', `Hosts of the cluster ${cluster}.`, inventoryOf(group, hosts)),
    yaml(`group_vars/${group}.yaml`, 'What all hosts have alike.', {
      ansible_python_interpreter: '/usr/bin/python3',
      // What a module gets then goes through a pipe: no password of a login is in a file of the host.
      ansible_pipelining: true,
      muster_cluster: cluster,
      ...variables.ofGroup(),
    }),
    ...hosts.flatMap((host) => {
      const { name } = host.target.host
      const own = variables.ofHost(name)
      const vault = document('Users with their hashes, and the logins that prove them.', vaultOf(host))
      return [
        ...(Object.keys(own).length === 0
          ? []
          : [yaml(`host_vars/${name}/main.yaml`, `What ${name} has for itself.`, own)]),
        { path: `host_vars/${name}/vault.yaml`, content: seal(Buffer.from(vault)) },
        ...filesOf(host, seal).map(({ path, content }) => ({ path: `files/${name}/${path}`, content })),
      ]
    }),
  ]
}

/** Variables of the role by name. */
const hostValues: Readonly<Record<string, (host: RenderedHost) => unknown>> = {
  muster_root: ({ target }) => target.layout.root,
  muster_user: ({ target }) => target.service.user,
  muster_group: ({ target }) => target.service.group,
  muster_release: ({ release }) => release.id,
  muster_runtime: ({ runtime }) => runtime.id,
  muster_components: (host) => host.components.map(({ component }) => component),
  muster_certificates: (host) =>
    tlsFilesOf(host)
      .filter(({ secret }) => !secret)
      .map(({ path }) => path),
  muster_secret_files: (host) =>
    tlsFilesOf(host)
      .filter(({ secret }) => secret)
      .map(({ path }) => path),
  muster_private: ({ secretFiles: [file] }) => {
    const [owner, group] = (file?.owner ?? '').split(':')
    return { owner, group, mode: `0${(file?.mode ?? 0o600).toString(8)}` }
  },
}

/** Files of a host below `share` that its components read but not at their start, with their paths there. */
function tlsFilesOf({ target, publicFiles, secretFiles }: RenderedHost): readonly {
  readonly path: string
  readonly content: Buffer
  readonly secret: boolean
}[] {
  const { share, tls } = target.layout
  const file = ({ path, content }: RenderedHost['secretFiles'][number], secret: boolean) => ({
    path: path.slice(share.length + 1),
    content: bytesOf({ content }),
    secret,
  })
  return [
    ...secretFiles.map((one) => file(one, true)),
    ...publicFiles.filter(({ path }) => path.startsWith(`${tls}/`)).map((one) => file(one, false)),
  ]
}

const bytesOf = ({ content }: Pick<RenderedHost['manifest'], 'content'>): Buffer =>
  Buffer.isBuffer(content) ? content : Buffer.from(content.reveal())

const filesOf = (host: RenderedHost, seal: (plain: Buffer) => string): readonly ProjectFile[] =>
  tlsFilesOf(host).map(({ path, content, secret }) => ({ path, content: secret ? seal(content) : content }))

const vaultOf = ({ target, users }: RenderedHost): object => ({
  muster_users: users.map(({ user, hash, access }) => ({
    user,
    ...(access && { access }),
    ...(hash && { hash }),
  })),
  muster_logins: expectedResponses(target).map(({ expected, request }) => ({ expected, request })),
})

/** Settings and units of all hosts, and the scripts of the way back. */
function templatesOf(hosts: readonly RenderedHost[], variables: Variables): readonly ProjectFile[] {
  const ofComponents = components.flatMap((name) => {
    const own = hosts.flatMap(({ target, components: all }) =>
      all.filter(({ component }) => component === name).map((is) => ({ host: target.host.name, is })),
    )
    if (own.length === 0) return []
    const settings = new Map(own.map(({ host, is }) => [host, is.settingsFile.content.toString()]))
    const units = new Map(own.map(({ host, is }) => [host, is.unitFile?.content.toString() ?? '']))
    return [
      { path: `${name}.json.j2`, content: jsonTemplate({ texts: settings, name, variables }) },
      { path: `${name}.service.j2`, content: linesTemplate({ texts: units, name, variables }) },
    ]
  })
  return [...ofComponents, ...scriptTemplates(hosts)]
}

/**
 * Expressions of Jinja in place of values. `quote` puts them between single quotes, where the first has the path with
 * its own ones escaped; the name of a system user has none.
 */
const [rootExpression, userExpression] = ['{{ muster_root_in_quotes }}', '{{ muster_user }}']

function scriptTemplates([first]: readonly RenderedHost[]): readonly ProjectFile[] {
  if (first === undefined) return []
  const { cluster, data } = first.target
  const installed = {
    cluster,
    layout: layoutOf(rootExpression),
    account: { user: userExpression, isOther: true },
    data: dataIn(data.place, data),
  }
  const script = (path: string, text: string): ProjectFile => ({
    path,
    content: withoutJinja(`${text}\n`, [rootExpression, userExpression]),
  })
  return [
    script('take-snapshot.sh.j2', takeScript(installed)),
    script(
      'restore-snapshot.sh.j2',
      restoreScript(installed, { fresh: false, users: '', drainTimeout: 0, data: '' }),
    ),
    script('remove-user.sh.j2', removeUserScript(userExpression)),
  ]
}

/** Returns a name that Ansible takes for a group. */
const groupOf = (cluster: string): string => `muster_${cluster.replaceAll(/[^A-Za-z0-9_]/g, '_')}`

function inventoryOf(group: string, hosts: readonly RenderedHost[]): object {
  const drains = hosts.filter(({ target }) => (target.host.proxy?.drainTimeout ?? 0) > 0)
  const members = (of: readonly RenderedHost[], valuesOf: (host: HostConfig) => object): object =>
    Object.fromEntries(of.map(({ target }) => [target.host.name, valuesOf(target.host)]))
  return {
    all: {
      children: {
        muster: { children: { [group]: { hosts: members(hosts, connectionOf) } } },
        drain_in_turn: { hosts: members(drains, () => ({})) },
      },
    },
  }
}

/** Variables with which Ansible reaches a host as muster does. */
function connectionOf(host: HostConfig): object {
  const { address, ssh } = host
  const words = sshOptions(host)
  return {
    ansible_host: address,
    ...(ssh.user === undefined ? {} : { ansible_user: ssh.user }),
    ...(ssh.port === undefined ? {} : { ansible_port: ssh.port }),
    ...(ssh.identity === undefined ? {} : { ansible_ssh_private_key_file: ssh.identity }),
    ...(words.length === 0 ? {} : { ansible_ssh_common_args: words.map(quote).join(' ') }),
    ...(ssh.become ? { ansible_become: true } : {}),
  }
}

const document = (comment: string, value: object): string =>
  `---\n# ${comment} Written by muster render ansible.\n${yamlText(value, unsafe)}`

/** Paths and options of ssh may be longer than the line that ansible-lint allows, and cannot be broken. */
const markLongLines = (text: string): string => text.replaceAll(/^.{161,}$/gm, '$& # noqa: yaml[line-length]')

/** Ansible takes a text with braces for a template, unless it has this tag. */
const unsafe = (text: string): string => (/\{[{%#]/.test(text) ? '!unsafe ' : '')
