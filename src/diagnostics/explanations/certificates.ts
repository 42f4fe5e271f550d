import type { certificateEntries } from '../entries/certificates.ts'
import type { Explanation } from './explanation.ts'

const look = `# what lies on each host's disk, and what is served
muster cert list muster.yaml`

/** Certificates of hosts as they are now. */
export const certificateExplanations = {
  'certificate-expired': {
    title: 'A certificate that has expired',
    about: [
      'The certificate on the host, or the one that its servers show, is past its end. Clients that verify it refuse the connection; the servers themselves go on.',
      '',
      '`muster cert renew` makes new ones where muster made the present ones; `muster install` does so by itself. Those of your own keystores are never renewed by muster.',
    ],
    commands: look,
  },
  'certificate-not-yet-valid': {
    title: 'A certificate whose time has not begun',
    about: [
      'It was made for a later day, or the clock of the machine that made it, or of this one, is wrong.',
      'Certificates of muster begin a day before they are made, so that clocks a little behind do not matter.',
    ],
    commands: `date -u
muster check muster.yaml`,
  },
  'certificate-expires-soon': {
    title: 'A certificate that ends within tls-warning-days',
    about: [
      '`tls-warning-days` sets how many days before its end a certificate is reported; the default is 30.',
      '',
      'From that day on `muster install` makes a new one where muster made the present one. So a run of it every few weeks is all that is needed.',
    ],
    commands: look,
  },
  'certificate-names': {
    title: 'A certificate that lacks names of its host',
    about: [
      "A host's certificate must have its name and address in the file, its own host name, and the addresses at which its APIs listen. Clients accept a server only by a name that is in there; the common name does not count.",
    ],
    commands: look,
  },
  'certificate-untrusted': {
    title: 'A certificate that does not lead to the authority',
    about: [
      'Link by link, each certificate must be signed by the next, and the last by an authority that is trusted: the one in the state directory, or for your own stores one of the truststore.',
      '',
      'It happens where a host was installed with another state directory, or where an intermediate certificate is missing in a keystore.',
    ],
    commands: `muster cert list muster.yaml
keytool -list -v -keystore tls/db1.p12 -storetype pkcs12`,
  },
  'certificate-other-authority': {
    title: 'Hosts that do not trust each other',
    about: [
      'Every host trusts its own certificate, and another host does not: they come from different authorities, and their truststores have only one of them each.',
      '',
      'Connectors ask managers, and operators all of them, so each truststore needs the authority of every host.',
    ],
    commands: look,
  },
  'certificate-not-served': {
    title: 'A certificate on disk that is not the one served',
    about: [
      'Servers follow the files of their certificate and take up a new pair once it has rested for a second or two. A pair whose key does not fit, or that has expired, they refuse, and go on with the one before; the log says so once.',
      '',
      'So this is a file that somebody changed by hand, or a change of this very moment.',
    ],
    commands: `muster cert list muster.yaml
muster logs muster.yaml --lines 20`,
  },
  'certificate-not-seen': {
    title: 'An API that makes no TLS handshake',
    about: [
      'The connection is made on the host itself, at the address where the API should listen. Where nothing listens, the component is stopped or still starting; where the release is older than this command, it cannot tell what is shown.',
    ],
    commands: `muster status muster.yaml
muster logs muster.yaml --lines 20`,
  },
  'certificate-missing': {
    title: 'An installed host without a certificate',
    about: [
      'A release is installed, and `share/tls/chain.pem` below its directory is missing or cannot be read as PEM.',
      'What runs has the certificate in memory, and would not start again.',
    ],
    commands: 'muster install muster.yaml',
  },
  'certificate-pending': {
    title: 'A certificate that waits to be installed',
    about: [
      'The state directory, or the keystore that the file names, has another certificate than the host: a run was interrupted, the host was down, or the keystore was changed since the last installation.',
    ],
    commands: `muster plan muster.yaml
muster install muster.yaml`,
  },
  'certificate-keystore': {
    title: 'Stores of your own that install would refuse',
    about: [
      'The keystore and truststore that the file names are opened here as `muster install` does it, with all that the host says about itself. What is wrong with them is told; muster never changes them.',
    ],
    commands: 'muster validate muster.yaml',
  },
  'certificate-host-unreachable': {
    title: 'A host that could not be asked for its certificate',
    about: [
      'The other hosts were asked all the same. With nothing but this wrong, the exit code is 4 instead of 1.',
    ],
    commands: 'muster check muster.yaml',
  },
  'certificate-host-failed': {
    title: 'A host that could not be looked at',
    about: [
      'It answers, and the login failed, or it is another machine or has another installation than the file means.',
    ],
    commands: 'muster check muster.yaml',
  },
  'certificate-not-installed': {
    title: 'A host of the file on which nothing is installed',
    about: ['There is no release on it, so there is no certificate that could be judged.'],
    commands: 'muster status muster.yaml',
  },
  'authority-expired': {
    title: 'An authority that has expired',
    about: [
      'No certificate is accepted for longer than the one that signed it. An authority of muster lasts ten years, and the certificates it signs never end after it.',
    ],
    commands: look,
  },
  'authority-expires-soon': {
    title: 'An authority that ends within tls-warning-days',
    about: [
      'Every client has its certificate, so replacing it takes longer than replacing one of a host: clients must trust both while hosts move over.',
    ],
    commands: look,
  },
} satisfies Record<keyof typeof certificateEntries, Explanation>
