import type { fileEntries } from '../entries/files.ts'
import type { Explanation } from './explanation.ts'

/** Files that cannot be read, and assignments on the command line. */
export const fileExplanations = {
  'file-not-found': {
    title: 'The file does not exist',
    about: [
      'A command reads the files at the end of its command line, or the one in `MUSTER_FILE`, or `muster.yaml` in the working directory.',
      'It does not search parent folders, and a broken symbolic link counts as missing.',
      '',
      'Usually the command runs in a different folder from the file: in a CI job, a timer, a second terminal.',
      'In a script, the name may come from a variable that is empty or has a path relative to another folder.',
      '',
      'The exit code is 3, not 1, so that a pipeline can distinguish a missing file from an invalid one.',
    ],
    commands: `pwd
ls -l *.yaml
echo "$MUSTER_FILE"`,
  },
  'file-is-directory': {
    title: 'A directory instead of a file',
    about: [
      'muster does not read all YAML files of a folder, because their order would decide which value applies.',
      'Pass each file. Each file overrides those before it: groups are merged name by name, single values and lists are replaced.',
    ],
    commands: `muster validate conf/base.yaml conf/staging.yaml`,
  },
  'file-unreadable': {
    title: 'The file cannot be opened',
    about: [
      'The operating system refused to open the file, for the reason in the message: permission, a loop of symbolic links, a name that is too long, or a disk error.',
      '',
      'For `permission denied`, check the folders too: you need access to each folder above the file.',
      '`muster init` creates a file that only its owner can read, because such files often contain passwords.',
      'Run muster as that owner instead of making the file readable for everyone.',
    ],
    commands: `# owner and mode of the file and of every folder above it
namei -l /srv/muster/muster.yaml
# who you are
id -un`,
  },
  'file-too-large': {
    title: 'The file is larger than 2 MB',
    about: [
      'muster reads no further than the limit, so that a log or a database dump passed by mistake does not use up time and memory.',
      '',
      'If it is a configuration, a generator has probably written every option for every host.',
      'Put options of all hosts in `defaults:`, once, and those of one service in the `options:` of that service.',
    ],
    commands: `ls -lh muster.yaml
head -n 20 muster.yaml`,
  },
  'file-not-utf8': {
    title: 'The file is not UTF-8 text',
    about: [
      'Plain ASCII is UTF-8, so the byte at the position that the message gives is usually an accented letter, often in a comment.',
      'The editor saved it as Latin-1 or Windows-1252, or a shell wrote the whole file as UTF-16, as PowerShell 5 does with `>`.',
      '',
      'Convert the whole file. Deleting only the byte would hide that a password with such a letter is wrong too.',
      'A byte order mark at the start is fine.',
    ],
    commands: `# what it seems to be
file muster.yaml
# the lines with anything beyond ASCII
LC_ALL=C grep -n '[^ -~]' muster.yaml
iconv -f WINDOWS-1252 -t UTF-8 muster.yaml > new.yaml`,
  },
  'too-many-findings': {
    title: 'More findings than are listed',
    about: [
      'The first thousand are listed, by position; the rest is only counted. So many findings usually have few causes.',
      '',
      'Fix the first few and validate again. A group with wrong indentation, a misspelt name in a template, or a file that is not a configuration can cause a finding on every line.',
    ],
    commands: `muster validate muster.yaml | head -n 40`,
  },
  'stdin-twice': {
    title: 'Standard input is used more than once',
    about: [
      '`-` instead of a file reads standard input, and `--set name=-` reads a secret from it.',
      'The first reads all of it, and the second would get nothing: an empty password, for example.',
    ],
    commands: `# asks for it twice
muster plan - --set rest-api-admin-pass=- < muster.yaml
# once each
muster plan muster.yaml --set rest-api-admin-pass=- < pw
muster plan - --set rest-api-admin-pass=@pw < muster.yaml`,
  },
  'set-not-assignment': {
    title: 'The argument of --set is not name=value',
    about: [
      '`--set` takes one word of the shell: the name, an equals sign and the value, without spaces around the sign.',
      'Quote it if the value has spaces or special characters of the shell. Separate list entries with commas, without brackets.',
      '',
      'In a script, check that the variable with the assignment is quoted and not empty.',
    ],
    commands: `# a space instead of the equals sign
muster validate --set log-level debug
# right
muster validate --set log-level=debug
muster validate --set rest-api-allowed-hosts=a.org,b.org`,
  },
  'set-secret-literal': {
    title: 'A secret on the command line',
    about: [
      'While the command runs, its arguments are in the process list, which every user of the machine can read.',
      'Afterwards they stay in the history of the shell and in the logs of CI.',
      '',
      'Treat such a password as leaked, even though muster did not use it: choose a new one.',
      'Then pass it on standard input, in a file, or in the YAML file as `!env`, `!file` or `!exec`.',
    ],
    commands: `muster plan --set rest-api-admin-pass=- < password
muster plan --set rest-api-admin-pass=@password`,
  },
} satisfies Record<keyof typeof fileEntries, Explanation>
