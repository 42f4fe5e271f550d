/** A systemd unit, and the name of its file. */
type UnitFile = { readonly name: string; readonly text: string }

/** A quoted word of a unit, without specifiers (systemd.syntax(7)). */
const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`

/** A word of a command line, without variables, too (systemd.service(5)). */
const word = (text: string): string => quoted(text).replaceAll('$', () => '$$')

/** A path in a setting that is no command line: only specifiers are expanded. */
const path = (text: string): string => text.replaceAll('%', '%%')

/**
 * Returns the service that runs a command once, and its timer, for the operator's machine. The service may read what
 * its user may read, and write nothing; it contains no secret.
 */
export function driftUnits(options: {
  readonly cluster: string
  readonly argv: readonly string[]
  readonly user: string
  readonly directory: string
  /** Variables that hold no secret. */
  readonly environment: Readonly<Record<string, string>>
  /** Names of variables from which the file reads secrets. */
  readonly secretVariables: readonly string[]
  /** As systemd.time(7) says. */
  readonly calendar: string
}): readonly [service: UnitFile, timer: UnitFile] {
  const { cluster, argv, user, directory, environment, secretVariables, calendar } = options
  const name = `muster-drift-${cluster}`
  const file = `/etc/muster/drift-${cluster}.env`
  const variables = Object.entries(environment).map(
    ([variable, value]) => `Environment=${quoted(`${variable}=${value}`)}\n`,
  )
  const secrets =
    secretVariables.length === 0
      ? ''
      : `# The file reads ${secretVariables.join(', ')}: lines NAME=value, readable by root only.\nEnvironmentFile=${file}\n`
  return [
    {
      name: `${name}.service`,
      text: `[Unit]
Description=Compare the hosts of cluster ${cluster} with their file
Documentation=man:muster-drift(1)
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
User=${user}
WorkingDirectory=${path(directory)}
${variables.join('')}${secrets}ExecStart=${argv.map(word).join(' ')}
TimeoutStartSec=1h
Nice=10
UMask=0077
LimitCORE=0

# It reads keys and the state directory, and writes nothing. An agent is reached by its socket.
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=true
PrivateMounts=true
PrivateDevices=true
DevicePolicy=closed
ProtectProc=invisible
ProtectKernelTunables=true
ProtectKernelModules=true
ProtectKernelLogs=true
ProtectControlGroups=true
ProtectClock=true
ProtectHostname=true
NoNewPrivileges=true
CapabilityBoundingSet=
AmbientCapabilities=
# Netlink: the resolver of names asks for the addresses of this machine.
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=true
RestrictRealtime=true
RestrictSUIDSGID=true
LockPersonality=true
RemoveIPC=true
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
# MemoryDenyWriteExecute is not set: V8 compiles JavaScript at run time.
`,
    },
    {
      name: `${name}.timer`,
      text: `[Unit]
Description=Compare the hosts of cluster ${cluster} with their file (${calendar.replaceAll('%', '%%')})

[Timer]
OnCalendar=${calendar}
# Not all clusters at the same minute; a time that the machine slept through is made up for.
RandomizedDelaySec=15min
FixedRandomDelay=true
Persistent=true

[Install]
WantedBy=timers.target
`,
    },
  ]
}
