import type { Destination, HostKeyOptions } from '../destination.ts'
import { defaultPort } from '../sshTarget.ts'
import { TransportError } from '../transportError.ts'
import { type HostKeyAlgorithm, hostKeyAlgorithms } from './algorithms.ts'
import {
  checkHostKey,
  fingerprint,
  type KnownHost,
  type KnownHostsLookup,
  knownTypes,
  matchingName,
  typeOfKey,
} from './knownHosts.ts'

/** Check of a host key: against a pinned fingerprint alone, or known_hosts. */
export type HostKeyPolicy = {
  /** Offered to the server in this order. */
  readonly algorithms: readonly HostKeyAlgorithm[]
  /** Checks against a pinned fingerprint: any key of the host may match. */
  readonly pinned: boolean
  /** Returns undefined if the key belongs to the host. */
  check(key: Buffer): TransportError | undefined
}

type Options = KnownHostsLookup & {
  readonly host: string
  /** Server is a jump host, whose key the YAML cannot pin. */
  readonly jump: boolean
  readonly entries: readonly KnownHost[]
  /** The known_hosts files of `entries`, for messages. */
  readonly files: readonly string[]
  /** Name and port that showed the key, for messages. */
  readonly dialled: { readonly name: string; readonly port: number }
  readonly lenient: HostKeyOptions['lenient']
}

/** Builds the check of a host key; `entries` come from the known_hosts files of the destination. */
export function hostKeyPolicy(
  { label: host, jump, port, check }: Pick<Destination, 'label' | 'jump' | 'port' | 'check'>,
  entries: readonly KnownHost[],
): HostKeyPolicy {
  const { files, pinned, lenient } = check
  const dialled = { name: check.names[0] ?? host, port }
  const options = { host, jump, files, entries, dialled, lenient, ...knownHostsLookup({ port, check }) }
  return pinned === undefined ? knownHostsPolicy(options) : pinPolicy(options, pinned)
}

/** Returns the lookup for known_hosts. OpenSSH looks up an alias without the port. */
export const knownHostsLookup = ({ port, check }: Pick<Destination, 'port' | 'check'>): KnownHostsLookup =>
  check.alias === undefined ? { names: check.names, port } : { names: [check.alias], port: defaultPort }

/** Returns the name under which ssh stores a server's key: `[name]:port` if the port is not 22. */
export function knownHostsName(server: Pick<Destination, 'label' | 'port' | 'check'>): string {
  const { names, port } = knownHostsLookup(server)
  return nameWithPort(names[0] ?? server.label, port)
}

const nameWithPort = (name: string, port: number): string =>
  port === defaultPort ? name : `[${name}]:${port}`

const show = (key: Buffer): string => `${fingerprint(key)} (${typeOfKey(key) ?? 'unknown type'})`

function pinPolicy({ host, dialled }: Options, pinned: string): HostKeyPolicy {
  const wanted = pinned.replace(/=+$/, '')
  return {
    algorithms: hostKeyAlgorithms([]),
    pinned: true,
    check: (key) => {
      if (fingerprint(key) === wanted) return undefined
      return new TransportError({
        host,
        code: 'host-key-changed',
        message: `${host} presented the host key ${show(key)}, but host-key in the YAML is ${wanted}`,
        fix: `Find out why before you continue: ${dialled.name} (port ${dialled.port}) may have been reinstalled, or another machine may answer there. Read the fingerprint on the host itself with "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub", then correct host-key.`,
      })
    },
  }
}

function knownHostsPolicy(options: Options): HostKeyPolicy {
  const { host, jump, names, port, entries, files } = options
  const asked = { names, port }
  const where = nameWithPort(names[0] ?? host, port)
  const error = (code: TransportError['code'], message: string, fix: string): TransportError =>
    new TransportError({ host, code, message, fix })

  return {
    algorithms: hostKeyAlgorithms(knownTypes(entries, asked)),
    pinned: false,
    check: (key) => {
      const verdict = checkHostKey(entries, asked, key)
      switch (verdict.kind) {
        case 'trusted':
          return undefined
        case 'revoked':
          return error(
            'host-key-revoked',
            `${host} presented the host key ${show(key)}, which ${place(verdict.known)} revokes`,
            'Do not log in there. Ask who revoked this key, and give the host a new one.',
          )
        case 'changed':
          return error(
            'host-key-changed',
            `the host key of ${host} has changed: it presented ${show(key)}, but ${place(verdict.known)} has ${show(verdict.known.key)}`,
            `Find out why before you continue: ${where} may have been reinstalled, or another machine may answer there. If the new key is right, ${removalCommand(verdict.known, asked)}, then run \`muster trust\` to add it.`,
          )
        case 'unknown':
          return error(
            'host-key-unknown',
            `the host key of ${host} is unknown: ${where} presented ${show(key)}, but ${files.join(' and ')} ${files.length === 1 ? 'has' : 'have'} no key for it${authorityNote(verdict.authority)}${lenientNote(options)}`,
            `Run \`muster trust\`, which shows the key and adds it to known_hosts after you confirm. First compare the fingerprint with the output of "ssh-keygen -lf" on the host itself${jump ? '' : `. Or set "host-key: ${fingerprint(key)}" under ssh of ${host} in the YAML`}.`,
          )
      }
    },
  }
}

const place = ({ file, line }: KnownHost): string => `${file} line ${line}`

/** Explains how to remove a line: `ssh-keygen -R` finds names, but no patterns. */
function removalCommand(known: KnownHost, asked: KnownHostsLookup): string {
  const name = matchingName(known, asked)
  return name === undefined || /[*?!]/.test(known.hosts)
    ? `remove ${place(known)}`
    : `remove the old key with "ssh-keygen -R '${name}' -f ${known.file}"`
}

const lenientNote = ({ lenient }: Options): string =>
  lenient === undefined
    ? ''
    : ` (StrictHostKeyChecking ${lenient} of ssh_config is ignored: unknown host keys are never accepted)`

const authorityNote = (authority: KnownHost | undefined): string =>
  authority === undefined
    ? ''
    : ` (${place(authority)} trusts it through a certificate authority: @cert-authority is not supported here)`
