/** How a value comes about, before the tables of docs/options.md. */
export const optionsIntroduction = `# The configuration file

One file describes one installation: who does what, on which hosts, with which options. \`muster init\` writes one to
start from. This page is made from the table of settings in the code; nobody edits it by hand.

\`\`\`yaml
cluster: alpha
defaults:                      # options for every host
  rest-api-admin-user: admin
  rest-api-admin-pass: !env ADMIN_PASS
  manager-rest-api-address: 0.0.0.0
ssh:                           # how to reach the hosts
  user: ops
  become: true
services:                      # who does what
  alpha:
    topology: clustered
    master: db1
    members: [db1, db2, db3]
    connectors: [db1, db2, db3]
    options: { log-level: debug }
hosts:                         # where they are
  db1: { address: 10.0.0.11 }
  db2: { address: 10.0.0.12, options: { manager-rest-api-port: 18090 } }
  db3: { address: 10.0.0.13, ssh: { port: 2222 } }
\`\`\`

## Which value holds

From the weakest to the strongest:

1. the default that is built in,
2. \`defaults\`,
3. \`options\` of the service,
4. \`options\` of the host,
5. \`--set name=value\` on the command line.

A list replaces the weaker one as a whole. \`ssh\` of a host wins over \`ssh\` at the top, name by name.

**Several files** lie over each other: \`muster plan muster.yaml staging.yaml\`. Groups are joined name by name, and
the later file wins. Without a file it is \`MUSTER_FILE\`, else \`./muster.yaml\`; \`-\` is standard input. Paths are
relative to the file that holds them. YAML anchors, aliases and merge keys work.

**\`--set\`** parts lists by commas: \`--set rest-api-allowed-hosts=a.example.org,b.example.org\`. A secret is never an
argument: \`--set rest-api-admin-pass=-\` reads it from standard input, \`--set rest-api-admin-pass=@FILE\` from a file.

**Lengths of time** carry their unit: \`500ms\`, \`30s\`, \`5m\`. \`yes\`, \`no\`, \`on\` and \`off\` are texts, not switches.

## Secrets

Instead of a secret, say where to read it:

| | |
|---|---|
| \`!env NAME\` | the environment variable |
| \`!file PATH\` | the file, without its last newline |
| \`!exec [program, argument]\` | what the program prints, without its last newline; no shell reads the words |

Commands that only look at the file run no program and read no secret outside of its folder, unless you say
\`--resolve-secrets\`.

## What the tables say

A single file needs what is **required**; one that lies over another may leave it out. Everything is there since
version 0.1.0 unless its row says otherwise.

## In an editor

\`muster init\` writes the schema beside the file; \`muster schema --out muster.schema.json\` writes it for a file that
is there already, and anew after an upgrade. With this first line, every editor that has the YAML language server
explains each name, completes, and marks mistakes:

\`\`\`yaml
# yaml-language-server: $schema=./muster.schema.json
\`\`\`

Set the tags too, in VS Code for example:

\`\`\`json
"yaml.customTags": ["!env scalar", "!file scalar", "!exec sequence"]
\`\`\`
`
