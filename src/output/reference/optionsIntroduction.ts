/** How a value comes about, before the tables of docs/options.md. */
export const optionsIntroduction = `# The configuration file

One file describes one installation: services, hosts and options. \`muster init\` writes a commented example. This page is generated from the table of settings in the code.

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

## Which value applies

From lowest to highest precedence:

1. the built-in default,
2. \`defaults\`,
3. \`options\` of the service,
4. \`options\` of the host,
5. \`--set name=value\` on the command line.

A list replaces one of lower precedence as a whole. \`ssh\` of a host overrides \`ssh\` at the top, name by name.

**Several files** are merged: \`muster plan muster.yaml staging.yaml\`. Groups are merged name by name, and later files
override earlier ones. Without a file, muster reads \`MUSTER_FILE\`, else \`./muster.yaml\`; \`-\` is standard input. Paths are
relative to the file that holds them. YAML anchors, aliases and merge keys work.

**\`--set\`** separates list entries with commas: \`--set rest-api-allowed-hosts=a.example.org,b.example.org\`. A secret is never an
argument: \`--set rest-api-admin-pass=-\` reads it from standard input, \`--set rest-api-admin-pass=@FILE\` from a file.

**Durations** need a unit: \`500ms\`, \`30s\`, \`5m\`. \`yes\`, \`no\`, \`on\` and \`off\` are texts, not booleans.

## Secrets

Instead of a secret, write a reference:

| | |
|---|---|
| \`!env NAME\` | the environment variable |
| \`!file PATH\` | the file, without its last newline |
| \`!exec [program, argument]\` | what the program prints, without its last newline; no shell is used |

Commands that only read the file run no program and read no secret outside its folder, unless you pass
\`--resolve-secrets\`.

## About the tables

A single file needs what is **required**; a file that overrides another may omit it. Everything is available since
version 0.1.0 unless its row says otherwise.

## In an editor

\`muster init\` writes the JSON Schema beside the file; \`muster schema --out muster.schema.json\` updates it, for example
after an upgrade. With this first line, every editor with the YAML language server documents each name, completes, and
marks errors:

\`\`\`yaml
# yaml-language-server: $schema=./muster.schema.json
\`\`\`

Configure the tags too, for example in VS Code:

\`\`\`json
"yaml.customTags": ["!env scalar", "!file scalar", "!exec sequence"]
\`\`\`
`
