import type { certificateEntries } from '../entries/certificates.ts'
import type { Explanation } from './explanation.ts'

const look = `# the certificate on each host's disk and the one that is served
muster cert list muster.yaml`

/** Certificates of hosts as they are now. */
export const certificateExplanations = {
  'certificate-expired': {
    title: 'A certificate that has expired',
    about: [
      'The certificate on the host, or the one that its servers use, has expired. Clients that verify it refuse the connection; the servers keep running.',
      '',
      '`muster cert renew` replaces certificates that muster made; `muster install` does so automatically. muster never renews those of your own keystores.',
    ],
    commands: look,
  },
  'certificate-not-yet-valid': {
    title: 'A certificate that is not valid yet',
    about: [
      'Its validity starts on a later day, or the clock of this machine or of the one that made it is wrong.',
      'Certificates made by muster are valid from one day earlier, so that small clock differences do not matter.',
    ],
    commands: `date -u
muster check muster.yaml`,
  },
  'certificate-expires-soon': {
    title: 'A certificate that expires within tls-warning-days',
    about: [
      '`tls-warning-days` sets how many days before it expires a certificate is reported; the default is 30.',
      '',
      'From that day on, `muster install` renews certificates that muster made. Run it every few weeks.',
    ],
    commands: look,
  },
  'certificate-names': {
    title: 'A certificate that lacks names of its host',
    about: [
      "A host's certificate must have its name and address in the file, its own host name, and the addresses at which its APIs listen. Clients accept a server only under one of these names; the common name is ignored.",
    ],
    commands: look,
  },
  'certificate-untrusted': {
    title: 'A certificate that does not lead to the authority',
    about: [
      'Each certificate of the chain must be signed by the next, and the last by a trusted authority: the one in the state directory, or, for your own stores, one in the truststore.',
      '',
      'Common causes: the host was installed with another state directory, or an intermediate certificate is missing in a keystore.',
    ],
    commands: `muster cert list muster.yaml
keytool -list -v -keystore tls/db1.p12 -storetype pkcs12`,
  },
  'certificate-other-authority': {
    title: 'Hosts that do not trust each other',
    about: [
      'Each host trusts its own certificate but not that of another host: they come from different authorities, and each truststore has only one of them.',
      '',
      'Connectors call managers, and operators call all components, so each truststore needs the authority of every host.',
    ],
    commands: look,
  },
  'certificate-not-served': {
    title: 'A certificate on disk that is not the one served',
    about: [
      'Servers watch the files of their certificate and load a new pair after a second or two without changes. If the key does not match or the certificate has expired, they keep the previous pair and log it once.',
      '',
      'So the file was changed by hand, or it was changed just now.',
    ],
    commands: `muster cert list muster.yaml
muster logs muster.yaml --lines 20`,
  },
  'certificate-not-seen': {
    title: 'An API without a TLS handshake',
    about: [
      'The connection is made on the host itself, at the address where the API should listen. If nothing listens there, the component is stopped or still starting; a release older than this command cannot report its certificate.',
    ],
    commands: `muster status muster.yaml
muster logs muster.yaml --lines 20`,
  },
  'certificate-missing': {
    title: 'An installed host without a certificate',
    about: [
      'A release is installed, but `share/tls/chain.pem` below its directory is missing or is not valid PEM.',
      'Running components have the certificate in memory, but cannot restart.',
    ],
    commands: 'muster install muster.yaml',
  },
  'certificate-pending': {
    title: 'A certificate that is not installed yet',
    about: [
      'The certificate in the state directory, or in the keystore that the file names, is not the one on the host: a run was interrupted, the host was down, or the keystore was changed since the last install.',
    ],
    commands: `muster plan muster.yaml
muster install muster.yaml`,
  },
  'certificate-keystore': {
    title: 'Stores of your own that install would refuse',
    about: [
      'muster opens the keystore and truststore that the file names, as `muster install` does, and checks them against the names and addresses of the host. It reports problems and never changes the stores.',
    ],
    commands: 'muster validate muster.yaml',
  },
  'certificate-host-unreachable': {
    title: 'A host whose certificate could not be read: it is unreachable',
    about: ['The other hosts were checked. If this is the only problem, the exit code is 4 instead of 1.'],
    commands: 'muster check muster.yaml',
  },
  'certificate-host-failed': {
    title: 'A host that could not be checked',
    about: [
      'It is reachable, but the login failed, or it is not the machine or the installation that the file describes.',
    ],
    commands: 'muster check muster.yaml',
  },
  'certificate-not-installed': {
    title: 'A host of the file without an installation',
    about: ['No release is installed on it, so there is no certificate to check.'],
    commands: 'muster status muster.yaml',
  },
  'authority-expired': {
    title: 'An authority that has expired',
    about: [
      'A certificate is accepted only as long as the one that signed it. An authority made by muster lasts ten years, and no certificate that it signs is valid for longer.',
    ],
    commands: look,
  },
  'authority-expires-soon': {
    title: 'An authority that expires within tls-warning-days',
    about: [
      'Every client has its certificate, so replacing it takes longer than replacing that of a host: clients must trust both while hosts change over.',
    ],
    commands: look,
  },
} satisfies Record<keyof typeof certificateEntries, Explanation>
