/** What OpenSSH's client is told for a host of the lab: its own key and known_hosts, nothing of the user's. */
export const sshArguments = (
  files: { readonly keyPath: string; readonly knownHostsPath: string },
  target: string,
): readonly string[] => [
  '-F',
  'none',
  '-i',
  files.keyPath,
  ...[
    'IdentitiesOnly=yes',
    'BatchMode=yes',
    'StrictHostKeyChecking=yes',
    `UserKnownHostsFile=${files.knownHostsPath}`,
    'GlobalKnownHostsFile=/dev/null',
    'HostKeyAlgorithms=ssh-ed25519',
    'ConnectTimeout=5',
    'LogLevel=ERROR',
  ].flatMap((option) => ['-o', option]),
  target,
]
